/**
 * Computes the contrast of colours (WCAG 2.2, relative luminance). Colours are `#` and six hexadecimal digits.
 *
 * @module
 */

const luminanceOf = (color: string): number => {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

/** The contrast ratio of two colours, from 1 to 21. */
export const contrastOf = (first: string, second: string): number => {
  const [dark = 0, light = 0] = [luminanceOf(first), luminanceOf(second)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Returns black or white, whichever has more contrast on a colour. */
export const onColor = (color: string): string =>
  contrastOf("#000000", color) >= contrastOf("#ffffff", color) ? "#000000" : "#ffffff"

/** Mixes a colour with white until it has the least contrast on a dark colour. */
export const lightenedOn = (color: string, dark: string, leastContrast: number): string => {
  const mixed = (share: number): string =>
    `#${[1, 3, 5]
      .map((at) => {
        const part = Number.parseInt(color.slice(at, at + 2), 16)
        return Math.round(part + (255 - part) * share)
          .toString(16)
          .padStart(2, "0")
      })
      .join("")}`
  const shares = Array.from({ length: 21 }, (_, at) => at / 20)
  return shares.map(mixed).find((one) => contrastOf(one, dark) >= leastContrast) ?? "#ffffff"
}
