import { plants } from './plants.js';

/** The plants to sow in a month, most room per plant first. */
export function toSow(month) {
  return plants.filter((plant) => plant.months.includes(month)).sort((a, b) => b.rowCm - a.rowCm);
}

/** How many plants fit in a row of this length. */
export function perRow(plant, rowMetres) {
  return Math.floor((rowMetres * 100) / plant.rowCm);
}
