/**
 * What holds at the end of every course in a simulated internet (docs/delivery.md "Servers that the tests simulate").
 *
 * @module
 */
import type { Ended, Seen } from "./course.ts"
import { isUnknown } from "./servers.ts"

/** The statuses that an email may end with. No block, rate or lost connection fails a message or suppresses a recipient. */
const endsOf = ({ address, isForbidden, kind }: Ended): ReadonlyArray<string> => {
  if (kind === "directory" && isUnknown(address)) return ["Bounced"]
  if (kind === "content" && isForbidden) return ["Failed"]
  return kind === "dying" ? ["Delivered", "Unknown"] : ["Delivered"]
}

/** What broke a rule; empty for none. */
export const faultsOf = ({
  ended,
  notices,
  plainMillis,
  repeated,
  suppressed
}: Seen): ReadonlyArray<string> => [
  ...repeated.map((id) => `delivery ${id} was offered again after a server may have accepted it`),
  ...ended.flatMap((email) =>
    endsOf(email).includes(email.status)
      ? []
      : [`the email of ${email.sender} to ${email.address} (${email.kind}) is ${email.status}`]
  ),
  ...suppressed.flatMap((address) =>
    address.includes("@directory") && isUnknown(address) ? [] : [`${address} is suppressed`]
  ),
  ...notices.flatMap(({ lane, state, until, words }) => [
    ...(state === "Open" ? [`the notice of ${lane} is open`] : []),
    ...(words === "" || until === null ? [`the notice of ${lane} has no words or no end`] : [])
  ]),
  ...(Math.max(...plainMillis) > 5_000
    ? ["the good company's mail to a plain server took more than 5 s"]
    : [])
]
