/**
 * Names a browser by its user agent, just well enough for users to tell their own sessions apart.
 *
 * @module
 */

const browsers: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"]
]

const systems: ReadonlyArray<readonly [RegExp, string]> = [
  [/\biPhone\b|\biPad\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"]
]

const first = (list: ReadonlyArray<readonly [RegExp, string]>, text: string): string | null =>
  list.find(([pattern]) => pattern.test(text))?.[1] ?? null

/** For example "Firefox, Linux"; null for a user agent with neither a known browser nor a known system. */
export const browserOf = (userAgent: string | null): string | null => {
  if (userAgent === null) return null
  const parts = [first(browsers, userAgent), first(systems, userAgent)].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(", ")
}
