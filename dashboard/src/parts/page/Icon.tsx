/**
 * Draws an icon of `dashboard/src/icons` in the colour of the text. Icons are decorative; their meaning is always given in words
 * too.
 *
 * @module
 */
import { createElement } from "react"
import type { IconName } from "../../lib/icons.ts"

const files = import.meta.glob<(typeof import("*.svg?icon"))["default"]>("../../icons/*.svg", {
  query: "?icon",
  import: "default",
  eager: true
})

/** An icon of `size` pixels. */
export const Icon = ({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.4"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {files[`../../icons/${name}.svg`]?.map(([tag, attributes], at) =>
      // The shapes have no ids, and their order never changes.
      createElement(tag, { key: at, ...attributes })
    )}
  </svg>
)
