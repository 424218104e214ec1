/**
 * The devices from which people open and click, as far as a user agent tells: their kind, program and system. Nothing else of a user
 * agent is kept, which with its versions could single a person out.
 *
 * @module
 */
/** The kinds of devices. */
export const deviceKinds = ["Phone", "Tablet", "Computer"] as const
export type DeviceKind = (typeof deviceKinds)[number]

/** What a user agent says of a device; null for what it does not say. */
export interface Device {
  readonly kind: DeviceKind | null
  /** A browser or mail program, without its version. */
  readonly program: string | null
  /** The family of the operating system. */
  readonly system: string | null
}

/** A name, and what a user agent holds that has it. */
type Named = readonly [name: string, ...marks: ReadonlyArray<string>]

/** In order: many programs name those before them as well. */
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
  // Android names phones alone as mobile.
  if (system === "Android") return text.includes("Mobile") ? "Phone" : "Tablet"
  return system === null ? null : "Computer"
}

/** The most characters of a user agent that are read. */
const maxRead = 500

/** The device of a user agent; null where it names neither a program nor a system that is known. */
export const deviceOf = (userAgent: string | null): Device | null => {
  const text = (userAgent ?? "").slice(0, maxRead)
  const program = nameIn(text, programs)
  const system = nameIn(text, systems)
  return program === null && system === null ? null : { kind: kindOf(text, system), program, system }
}
