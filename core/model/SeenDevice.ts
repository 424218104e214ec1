/**
 * The devices from which a person opened and clicked, derived from the stored visits.
 *
 * @module
 */
import type { Device } from "./Device.ts"
import type { Visit } from "./Visit.ts"

/** A device from which a person opened or clicked. */
export interface SeenDevice extends Device {
  readonly opens: number
  readonly clicks: number
  /** Epoch milliseconds. */
  readonly lastSeenAt: number
}

/** The most devices shown for a person. */
export const maxDevices = 20

/** The devices of visits that are not a machine's, most recently seen first, at most {@link maxDevices}. */
export const devicesOf = (visits: ReadonlyArray<Visit>): ReadonlyArray<SeenDevice> => {
  const seen = new Map<string, SeenDevice>()
  for (const { at, device, kind, rule, verdict } of visits) {
    // An open that was inferred from a click is not a separate visit.
    if (device === undefined || verdict === "Machine" || rule === "click") continue
    const key = JSON.stringify([device.kind, device.program, device.system])
    const { clicks, lastSeenAt, opens } = seen.get(key) ?? { opens: 0, clicks: 0, lastSeenAt: at }
    seen.set(key, {
      kind: device.kind,
      program: device.program,
      system: device.system,
      opens: opens + (kind === "Open" ? 1 : 0),
      clicks: clicks + (kind === "Click" ? 1 : 0),
      lastSeenAt: Math.max(lastSeenAt, at)
    })
  }
  return [...seen.values()].toSorted((a, b) => b.lastSeenAt - a.lastSeenAt).slice(0, maxDevices)
}
