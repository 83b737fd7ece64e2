import { followScroll } from './current-section.ts';
import { addMenu } from './menu.ts';
import { readPreference, THEME } from './preferences.ts';
import { addSamples } from './samples.ts';
import { addSearch } from './search.ts';

// Runs before the page is rendered, so that it does not show another theme first, nor the contents on a narrow screen.
const root = document.documentElement;
const theme = readPreference(THEME);
if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
root.dataset.ready = '';
document.addEventListener('DOMContentLoaded', () => {
  addSamples();
  addMenu();
  addSearch();
  followScroll();
});
