/** What grows here, and in which months it is sown (1 is January). */
export const plants = [
  { name: 'Broad bean', months: [2, 3, 10, 11], rowCm: 20 },
  { name: 'Carrot', months: [4, 5, 6], rowCm: 5 },
  { name: 'Lettuce', months: [3, 4, 5, 6, 7], rowCm: 25 },
  { name: 'Radish', months: [3, 4, 5, 6, 7, 8], rowCm: 3 },
  { name: 'Spinach', months: [3, 4, 8, 9], rowCm: 10 },
];
