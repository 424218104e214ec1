/**
 * `svc standing`: shows how receiving servers and recipients respond to an account's mail.
 *
 * @module
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { jsonFlag } from "../accounts.ts"
import { serverFlags, serverOf } from "../management.ts"
import { oneLine, print, printJson } from "../output.ts"

const percent = (rate: number | null): string => (rate === null ? "-" : `${(100 * rate).toFixed(2)} %`)

const ratesOf = (of: {
  readonly bounceRate: number | null
  readonly clickRate: number | null
  readonly complaintRate: number | null
  readonly handed: number
  readonly openRate: number | null
  readonly policyRate: number | null
  readonly unsubscribeRate: number | null
}): string =>
  `${of.handed} sent, bounced ${percent(of.bounceRate)}, policy ${percent(of.policyRate)}, ` +
  `complaints ${percent(of.complaintRate)}, unsubscribed ${percent(of.unsubscribeRate)}, ` +
  `opened ${percent(of.openRate)}, clicked ${percent(of.clickRate)}`

/** `svc standing`. */
export const standing = Command.make(
  "standing",
  {
    ...serverFlags,
    account: Argument.String("account").pipe(Argument.withDescription("Id of the account")),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ account, json, ...given }) {
    const server = yield* serverOf(given)
    const found = yield* server.manage((client) => client.standing.get(account, { days: 7 }))
    if (json) return yield* printJson(found)
    const until = found.state === "Held" ? `, until ${found.heldUntil ?? "an operator lifts the hold"}` : ""
    yield* print(
      [
        `${found.state}${until}`,
        ...found.reasons.map(
          ({ days, provider, rate, state, threshold, value }) =>
            `  ${rate}${provider === null ? "" : ` at ${provider}`} of ${days} days: ${percent(value)}, ` +
            `${state} from ${percent(threshold)} on`
        ),
        ...found.rates.map(
          ({ domain, provider, stream, ...rates }) =>
            `${oneLine(domain)} to ${provider}, ${stream}: ${ratesOf(rates)}`
        ),
        // With a single address, the rates above already say everything.
        ...(found.sources.length < 2 ? [] : found.sources).map(
          ({ source, ...rates }) => `from ${source ?? "an address that was not chosen"}: ${ratesOf(rates)}`
        )
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription("Show the standing of an account: its rates of bounces, refusals and complaints"),
  Command.withExamples([{ command: "svc standing 019b..." }])
)
