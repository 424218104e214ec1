/**
 * The rules that must hold at the end of every simulation (docs/delivery.md "Servers that the tests simulate").
 *
 * @module
 */
import type { Ended, Seen } from "./course.ts"
import { isUnknown } from "./servers.ts"
import { complains, isPerson } from "./visitors.ts"

/** The most connections to an address, and to one that has accepted nothing yet. */
const most = 20
const mostUnproven = 2

/**
 * The longest time that the good company's mail to ordinary servers may take, in milliseconds. Over connections, the machine's
 * own time is added.
 */
const plainMost = 5_000
const plainMostConnected = 20_000

/**
 * The final statuses that an email may have. No block, rate limit or lost connection may fail a message or suppress a recipient.
 */
const endsOf = ({ address, isForbidden, kind }: Ended): ReadonlyArray<string> => {
  switch (kind) {
    // After delivery, a later report can only state that the address does not exist.
    case "directory":
    case "reporter":
      return [isUnknown(address) ? "Bounced" : "Delivered"]
    case "content":
      return [isForbidden ? "Failed" : "Delivered"]
    case "nullMx":
      return ["Bounced"]
    case "loop":
      return ["Failed"]
    case "dying":
      return ["Delivered", "Unknown"]
    default:
      return ["Delivered"]
  }
}

/** Whether an address must be suppressed at the end. No other address may be. */
const isSuppressed = ({ address, kind }: Pick<Ended, "address" | "kind">): boolean =>
  kind === "nullMx" ||
  ((kind === "directory" || kind === "reporter") && isUnknown(address)) ||
  (kind === "reporter" && complains(address))

/** The errors in the visits of an email. */
const visitFaultsOf = ({ address, visits }: Ended): ReadonlyArray<string> => {
  if (visits === null) return []
  const { clicks, opens } = visits
  const isRight = isPerson(address)
    ? opens.Human > 0 && clicks.Human === 1 && clicks.Machine === 0
    : clicks.Machine === 3 && clicks.Human === 0 && clicks.Unknown === 0
  return isRight ? [] : [`the visits of ${address} are ${JSON.stringify(visits)}`]
}

const connectionFaultsOf = ({ connections }: Seen): ReadonlyArray<string> => {
  if (connections === null) return []
  const { left, servers } = connections
  return [
    ...servers.flatMap(({ domain, peak, unprovenPeak }) => [
      ...(peak > most ? [`${domain} had ${peak} connections`] : []),
      ...(unprovenPeak > mostUnproven
        ? [`${domain} had ${unprovenPeak} connections before it accepted any mail`]
        : [])
    ]),
    ...(left > 0 ? [`${left} connections are open after the end`] : [])
  ]
}

/** All violations of the rules; empty if there are none. */
export const faultsOf = (seen: Seen): ReadonlyArray<string> => {
  const { ended, exposed, late, notices, plainMillis, refusedReports, repeated, suppressed } = seen
  const mostMillis = seen.connections === null ? plainMost : plainMostConnected
  const expected = new Set(ended.filter(isSuppressed).map(({ address }) => address))
  return [
    ...repeated.map((address) => `the message to ${address} came again after a server may have accepted it`),
    ...exposed.map((address) => `the message to ${address} came without the encryption that it must have`),
    ...late.map((address) => `the message to ${address} left late after its suspension had ended`),
    ...refusedReports.map((address) => `the report to ${address} was not taken`),
    ...ended.flatMap((email) =>
      endsOf(email).includes(email.status)
        ? []
        : [
            `the email of ${email.sender} to ${email.address} (${email.kind}) is ${email.status} ${email.reason ?? ""}`
          ]
    ),
    ...ended.flatMap(visitFaultsOf),
    ...suppressed.flatMap((address) => (expected.has(address) ? [] : [`${address} is suppressed`])),
    ...[...expected].flatMap((address) =>
      suppressed.includes(address) ? [] : [`${address} is not suppressed`]
    ),
    ...notices.flatMap(({ lane, state, until, words }) => [
      ...(state === "Open" ? [`the notice of ${lane} is open`] : []),
      ...(words === "" || until === null ? [`the notice of ${lane} has no words or no end`] : [])
    ]),
    ...seen.standing.flatMap(({ counted, happened }) =>
      counted.join() === happened.join()
        ? []
        : [`a standing counts ${counted.join()}, and ${happened.join()} happened`]
    ),
    ...connectionFaultsOf(seen),
    ...(Math.max(...plainMillis) > mostMillis
      ? [`the good company's mail to a plain server took ${Math.max(...plainMillis)} ms`]
      : [])
  ]
}
