import assert from 'node:assert/strict';
import { perRow, toSow } from '../src/beds.js';

assert.deepEqual(toSow(8).map((plant) => plant.name), ['Spinach', 'Radish']);
assert.equal(perRow({ rowCm: 25 }, 2), 8);
console.log('2 checks passed');
