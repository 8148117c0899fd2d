// What a link of the same view asked for is seen, wherever that link stood.

/** The bar above every view, in pixels. */
const BAR = 56;
/** So much of the window's height, from above, is where one looks for it. */
const SEEN = 0.8;

/** Scroll to the beginning of an element that lies above the window, or so far below that nobody sees it come. */
export function reveal(element) {
  const { top } = element.getBoundingClientRect();
  if (top < BAR || top > innerHeight * SEEN) element.scrollIntoView();
}
