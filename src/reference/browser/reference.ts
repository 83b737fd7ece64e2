import { followScroll } from './current-section.ts';
import { addMenu } from './menu.ts';
import { addSamples } from './samples.ts';
import { addSearch } from './search.ts';

// Runs before the page is rendered, so that a narrow screen does not show the contents first.
document.documentElement.dataset.ready = '';
document.addEventListener('DOMContentLoaded', () => {
  addSamples();
  addMenu();
  addSearch();
  followScroll();
});
