/**
 * The devices from which people open and click, as far as a user agent shows: kind, program and operating system. Nothing else of
 * a user agent is stored, since together with its versions it could identify a person.
 *
 * @module
 */
/** The kinds of devices. */
export const deviceKinds = ["Phone", "Tablet", "Computer"] as const
export type DeviceKind = (typeof deviceKinds)[number]

/** What a user agent shows about a device; null for what it does not show. */
export interface Device {
  readonly kind: DeviceKind | null
  /** A browser or mail program, without its version. */
  readonly program: string | null
  /** The family of the operating system. */
  readonly system: string | null
}

/** A name, and the strings by which a user agent is recognised. */
type Named = readonly [name: string, ...marks: ReadonlyArray<string>]

/** In order: the user agents of many programs also contain the names of earlier ones. */
const programs: ReadonlyArray<Named> = [
  ["Outlook", "Microsoft Outlook", "MSOffice", "Microsoft Office", "Outlook-iOS", "Outlook-Android"],
  ["Thunderbird", "Thunderbird/"],
  ["Edge", "Edg/", "EdgA/", "EdgiOS/", "Edge/"],
  ["Opera", "OPR/", "Opera/"],
  ["Samsung Internet", "SamsungBrowser/"],
  ["Firefox", "Firefox/", "FxiOS/"],
  ["Chrome", "Chrome/", "CriOS/"],
  ["Safari", "Safari/"]
]

const systems: ReadonlyArray<Named> = [
  ["iOS", "iPhone", "iPad", "iPod"],
  ["Android", "Android"],
  ["ChromeOS", "CrOS"],
  ["macOS", "Macintosh", "Mac OS X"],
  ["Windows", "Windows"],
  ["Linux", "Linux"]
]

const holds = (text: string, ...marks: ReadonlyArray<string>): boolean =>
  marks.some((mark) => text.includes(mark))

const nameIn = (text: string, names: ReadonlyArray<Named>): string | null =>
  names.find(([, ...marks]) => holds(text, ...marks))?.[0] ?? null

const kindOf = (text: string, system: string | null): DeviceKind | null => {
  if (system === "iOS") return text.includes("iPad") ? "Tablet" : "Phone"
  // On Android, only the user agents of phones contain "Mobile".
  if (system === "Android") return text.includes("Mobile") ? "Phone" : "Tablet"
  return system === null ? null : "Computer"
}

/** The most characters of a user agent that are read. */
const maxRead = 500

/** The device of a user agent; null if it shows neither a known program nor a known system. */
export const deviceOf = (userAgent: string | null): Device | null => {
  const text = (userAgent ?? "").slice(0, maxRead)
  const program = nameIn(text, programs)
  const system = nameIn(text, systems)
  return program === null && system === null ? null : { kind: kindOf(text, system), program, system }
}
