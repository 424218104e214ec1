/**
 * The icon of the service's own pages: an envelope in the colour of their links.
 *
 * @module
 */

/** The icon, as SVG. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f4fd8"/><path d="M7 10h18v12H7z" fill="none" stroke="#fff" stroke-width="2.2" stroke-linejoin="round"/><path d="m7.5 10.5 8.5 7 8.5-7" fill="none" stroke="#fff" stroke-width="2.2" stroke-linejoin="round"/></svg>`

/** Headers of the icon. If it is opened as a page, it loads nothing and runs no script. */
export const iconHeaders = {
  "content-type": "image/svg+xml",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer"
}
