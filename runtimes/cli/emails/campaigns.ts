/**
 * `svc campaigns`: lists, checks, launches, pauses, resumes and cancels campaigns, and shows their counts.
 *
 * @module
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { Management } from "../../../client/index.ts"
import { jsonFlag } from "../accounts.ts"
import { listAll, serverFlags, serverOf } from "../management.ts"
import { BadNews, oneLine, print, printJson, table } from "../output.ts"

const account = Argument.String("account").pipe(Argument.withDescription("Id of the account"))
const campaign = Argument.String("campaign").pipe(Argument.withDescription("Id of the campaign"))
const ofOne = { ...serverFlags, account, campaign, json: jsonFlag }

/** A campaign on one line. */
const lineOf = ({ name, stats, status, statusReason }: Management.Campaign): string =>
  `${status}${statusReason === null ? "" : ` (${statusReason})`}, ${oneLine(name)}: ` +
  `${stats.submitted} of ${stats.audience} submitted, ${stats.skipped} skipped, ${stats.pending} pending`

const list = Command.make(
  "list",
  { ...serverFlags, account, json: jsonFlag },
  Effect.fnUntraced(function* ({ account: accountId, json, ...given }) {
    const server = yield* serverOf(given)
    const found = yield* listAll(server, (client, query) => client.campaigns.list(accountId, query))
    if (json) return yield* printJson(found)
    yield* print(
      table([
        ["ID", "STATUS", "AUDIENCE", "SUBMITTED", "NAME"],
        ...found.map(({ id, name, stats: counts, status }) => [
          id,
          status,
          String(counts.audience),
          String(counts.submitted),
          oneLine(name)
        ])
      ])
    )
  })
).pipe(Command.withDescription("List the campaigns of an account, newest first"))

/** Makes a command that calls one route of a campaign and shows the campaign. */
const action = (name: "cancel" | "launch" | "pause" | "resume" | "show", description: string) =>
  Command.make(
    name,
    ofOne,
    Effect.fnUntraced(function* ({ account: accountId, campaign: id, json, ...given }) {
      const server = yield* serverOf(given)
      const found = yield* server.manage(({ campaigns }) =>
        name === "show" ? campaigns.get(accountId, id) : campaigns[name](accountId, id)
      )
      yield* json ? printJson(found) : print(lineOf(found))
    })
  ).pipe(Command.withDescription(description))

const check = Command.make(
  "check",
  ofOne,
  Effect.fnUntraced(function* ({ account: accountId, campaign: id, json, ...given }) {
    const server = yield* serverOf(given)
    const found = yield* server.manage((client) => client.campaigns.check(accountId, id))
    if (json) yield* printJson(found)
    else {
      const lines = found.findings.map(
        ({ code, field, message, severity }) =>
          `${severity}: ${field === null ? "" : `${field}: `}${oneLine(message)} (${code})`
      )
      yield* print([`${found.recipients} people`, ...lines].join("\n"))
    }
    if (!found.canLaunch) return yield* new BadNews()
  })
).pipe(Command.withDescription("Find problems that prevent a launch. Exit code 1 if there are any"))

/** The lines of an object. Those of a nested object name both, and a list of amounts is on one line. */
const linesOf = (value: object, prefix = ""): ReadonlyArray<string> =>
  Object.entries(value).flatMap(([name, one]): ReadonlyArray<string> => {
    if (Array.isArray(one)) {
      const amounts = (one as ReadonlyArray<{ readonly amount: string; readonly currency: string }>).map(
        ({ amount, currency }) => `${amount} ${currency}`
      )
      return [`${prefix}${name}: ${amounts.length === 0 ? "-" : amounts.join(", ")}`]
    }
    return typeof one === "object" && one !== null
      ? linesOf(one as object, `${prefix}${name}.`)
      : [`${prefix}${name}: ${one ?? "-"}`]
  })

const stats = Command.make(
  "stats",
  ofOne,
  Effect.fnUntraced(function* ({ account: accountId, campaign: id, json, ...given }) {
    const server = yield* serverOf(given)
    const { items, total } = yield* server.manage((client) =>
      client.campaigns.stats(accountId, id, { by: "Domain" })
    )
    if (json) return yield* printJson({ items, total })
    yield* print(linesOf(total).join("\n"))
    yield* print(
      table([
        ["DOMAIN", "SUBMITTED", "DELIVERED", "BOUNCED", "OPENED", "CLICKED"],
        ...items.map((row) => [
          row.key ?? "-",
          ...[row.submitted, row.delivered, row.bounced, row.openedHuman, row.clickedHuman].map(String)
        ])
      ])
    )
  })
).pipe(Command.withDescription("Show the statistics of a campaign, in total and by domain"))

const recount = Command.make(
  "recount",
  ofOne,
  Effect.fnUntraced(function* ({ account: accountId, campaign: id, json, ...given }) {
    const server = yield* serverOf(given)
    const found = yield* server.manage((client) => client.campaigns.recount(accountId, id))
    yield* json
      ? printJson(found)
      : print(found.equal ? "The counts match the rows" : "The counts differ from the rows")
    if (!found.equal) return yield* new BadNews()
  })
).pipe(Command.withDescription("Compare the stored counts of a campaign with its rows"))

/** `svc campaigns`. */
export const campaigns = Command.make("campaigns").pipe(
  Command.withDescription("Work with the campaigns of an account"),
  Command.withSubcommands([
    list,
    action("show", "Show the state of a campaign"),
    check,
    action("launch", "Launch a campaign, immediately or by its schedule"),
    action("pause", "Pause a campaign. No more of its emails are sent once the command has ended"),
    action("resume", "Continue a paused campaign"),
    action("cancel", "Cancel a campaign. Emails that have not been sent are never sent"),
    stats,
    recount
  ])
)
