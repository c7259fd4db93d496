import { perRow, toSow } from './beds.js';

const month = 4;
for (const plant of toSow(month)) {
  console.log(`${plant.name}: ${perRow(plant, 2)} in a row of 2 m`);
}
