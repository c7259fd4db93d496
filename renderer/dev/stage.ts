// Starts the window on a fake main process, for looking at it in a browser: `?scene=` and `&theme=`.
// Development only: the product is built from ../index.html, which knows nothing of this folder.
import { makeFakeBridge } from './fake-bridge';
import { TASK } from './story';

const query = new URLSearchParams(location.search);
const bridge = makeFakeBridge({
  scene: query.get('scene') ?? 'story',
  theme: query.get('theme') === 'light' ? 'light' : 'dark',
});
Object.defineProperty(window, 'tidemark', { value: bridge });
localStorage.clear();
localStorage.setItem('tidemark.task /home/dana/code/orders-api', JSON.stringify(TASK));
void import('../main');
