/**
 * `svc trigger`: causes one event of an email in a sandbox, about which its webhooks are notified.
 *
 * @module
 */
import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Management } from "../../../client/index.ts"
import { emailEventTypes, type EmailEventType } from "../../../core/model/EmailEvent.ts"
import { accountFlag } from "../keys.ts"
import { listCompanies, type Server, serverFlags, serverOf } from "../management.ts"
import { CommandFailed, print } from "../output.ts"
import { submit } from "./sendTest.ts"

/** The local parts that have outcomes of their own in a sandbox. */
const localParts: Readonly<Partial<Record<EmailEventType, string>>> = {
  "email.bounced": "bounce",
  "email.complained": "complaint"
}

const pollMillis = 100
const waitMillis = 30_000

/** The user agent of opens and clicks: that of a person's browser. */
const userAgent =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"

/** The account: the given one, or else the sandbox of the only company. Fails for a live account. */
const accountOf = Effect.fnUntraced(function* (server: Server, given: Option.Option<string>) {
  if (Option.isNone(given)) {
    const [only, ...others] = yield* listCompanies(server)
    if (only === undefined) return yield* CommandFailed.of("There is no account yet")
    if (others.length === 0) return only.sandbox.accountId
    return yield* CommandFailed.of("There are several companies: pass --account, see svc accounts list")
  }
  const { mode } = yield* server.manage((client) => client.accounts.get(given.value))
  return mode === "Sandbox"
    ? given.value
    : yield* CommandFailed.of("svc trigger works only in a sandbox, and this account is live")
})

/** Reads repeatedly until there is a value. Fails after half a minute. */
const waitFor = Effect.fnUntraced(function* <A>(
  what: string,
  read: Effect.Effect<A | undefined, CommandFailed>
) {
  const until = (yield* Clock.currentTimeMillis) + waitMillis
  for (;;) {
    const value = yield* read
    if (value !== undefined) return value
    if ((yield* Clock.currentTimeMillis) >= until) {
      return yield* CommandFailed.of(`${what} within ${waitMillis / 1_000} seconds`)
    }
    yield* Effect.sleep(pollMillis)
  }
})

const trackedPaths = { c: /\/t\/c\/[\w.-]+/, o: /\/t\/o\/[\w.-]+/ }

/** The path of a message's pixel or link, with which it is opened or clicked. */
const trackedPath = ({ html }: Management.InboxMessage, kind: "c" | "o"): string | undefined =>
  trackedPaths[kind].exec(html ?? "")?.[0]

/** Opens a message or follows its link, like its recipient. */
const visit = Effect.fnUntraced(function* (
  server: Server,
  account: string,
  submissionId: string,
  kind: "c" | "o"
) {
  const message = yield* waitFor(
    "The message did not arrive in the inbox",
    Effect.map(
      server.manage((client) => client.emails.inbox(account, { limit: 50 })),
      ({ items }) => items.find((item) => item.submissionId === submissionId)
    )
  )
  const path = trackedPath(message, kind)
  if (path === undefined) return yield* CommandFailed.of("The message in the inbox has no tracked link")
  yield* Effect.tryPromise({
    try: (signal) =>
      fetch(server.baseUrl + path, { headers: { "user-agent": userAgent }, redirect: "manual", signal }),
    catch: () => new CommandFailed({ message: `No answer from ${server.baseUrl}` })
  })
})

/** `svc trigger`. */
export const trigger = Command.make(
  "trigger",
  {
    ...serverFlags,
    type: Argument.Literals("type", emailEventTypes).pipe(
      Argument.withDescription("The type of the event, as in notifications")
    ),
    account: accountFlag.pipe(
      Flag.withDescription("Id of the sandbox account. Default: the sandbox, if there is only one company"),
      Flag.optional
    ),
    from: Flag.String("from").pipe(
      Flag.withDescription(
        "Sender address on a domain of the account. Default: the account's default sender"
      ),
      Flag.withMetavar("address"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const account = yield* accountOf(server, given.account)
    const { type } = given
    // A new domain each time, because an address that bounced or complained gets no more email.
    const to = `${localParts[type] ?? "somebody"}@${crypto.randomUUID()}.example`
    const { id } = yield* submit(server, account, "svc trigger", {
      to,
      ...(Option.isSome(given.from) ? { from: given.from.value } : {}),
      subject: `svc trigger ${type}`,
      html: `<p>This email makes ${type} happen. <a href="https://example.com/">A link</a></p>`,
      tracking: { opens: type === "email.opened", clicks: type === "email.clicked" }
    })
    const recipient = yield* waitFor(
      "The email was not sent",
      Effect.map(
        server.manage((client) => client.emails.get(account, id)),
        ({ recipients: [first] }) =>
          first === undefined ||
          first.status === "HandingOff" ||
          (first.status === "Queued" && first.reason === null)
            ? undefined
            : first
      )
    )
    const hasOutcome = recipient.status === (type === "email.bounced" ? "Bounced" : "Delivered")
    if (!hasOutcome) {
      return yield* CommandFailed.of(
        `The email to ${to} is ${recipient.status} (${recipient.reason ?? "no reason"})`
      )
    }
    if (type === "email.opened") yield* visit(server, account, id, "o")
    if (type === "email.clicked") yield* visit(server, account, id, "c")
    return yield* print(`${type}: email ${id} to ${to}`)
  })
).pipe(
  Command.withDescription(
    "Cause one email event in a sandbox. The command sends an email to an address that has this outcome, and opens or " +
      "clicks it if the event requires it. The account's webhooks are notified as for any email."
  ),
  Command.withShortDescription("Cause an email event in a sandbox"),
  Command.withExamples([
    { command: "svc trigger email.bounced" },
    { command: "svc trigger email.clicked --account 019a... --from hello@news.example.com" }
  ])
)
