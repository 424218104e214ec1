/**
 * `svc send-test`: sends a test email through the running server and follows it to its outcome.
 *
 * @module
 */
import { Clock, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { EmailRequest, Management } from "../../../client/index.ts"
import type { DeliveryStatus } from "../../../core/model/DeliveryStatus.ts"
import { accountFlag } from "../keys.ts"
import { listCompanies, type Server, serverFlags, serverOf } from "../management.ts"
import { BadNews, CommandFailed, note, oneLine, print } from "../output.ts"

/** Whether a status ends the wait. `Accepted` and `Sent` emails may still bounce hours later. */
const settled: Readonly<Record<DeliveryStatus, "good" | "bad" | "waits">> = {
  Delivered: "good",
  Accepted: "good",
  Sent: "good",
  Bounced: "bad",
  Failed: "bad",
  Suppressed: "bad",
  Unknown: "bad",
  HandingOff: "waits",
  PendingReview: "waits",
  Queued: "waits"
}

/** What an operator can do about each reason. */
const advice: Readonly<Record<string, string>> = {
  "sending.no_verified_sender":
    "the sender's domain is not verified for this account: add it, publish its records, see svc doctor",
  "sending.daily_cap": "the account's dailySendLimit is used up for today",
  "sending.gate_bounced": "the address bounced before; remove it from the suppression list to try again",
  "sending.gate_complained": "the address complained before: it gets no mail",
  "sending.gate_protected": "the address is on the protective list",
  "sending.retrying": "the server deferred the message: it is retried automatically",
  "sending.outcome_unknown": "the connection broke after the message was transmitted: it may have arrived"
}

/** Whether waiting does not help with a reason. */
const isStuck = (reason: string | null): boolean =>
  reason === "sending.no_verified_sender" || reason === "sending.daily_cap"

const pollMillis = 250

/** The account to send from: the given one, or else the live account of the only company. */
const accountOf = Effect.fnUntraced(function* (server: Server, given: Option.Option<string>) {
  if (Option.isSome(given)) return given.value
  const companies = yield* listCompanies(server)
  const [only, ...others] = companies
  if (only === undefined) return yield* CommandFailed.of("There is no account yet")
  if (others.length > 0) {
    return yield* CommandFailed.of("There are several companies: pass --account, see svc accounts list")
  }
  return only.live.accountId
})

/** Sends with a key of the given name, which is created for this call and revoked afterwards. */
export const submit = Effect.fnUntraced(function* (
  server: Server,
  account: string,
  name: string,
  email: EmailRequest
) {
  return yield* Effect.acquireUseRelease(
    server.manage((client) =>
      client.apiKeys.create(account, {
        name,
        permissions: ["emails:send"],
        expiresInDays: 30
      })
    ),
    ({ key }) => server.api(key, (client) => client.sending.submit(email)),
    ({ id }) =>
      Effect.catch(
        server.manage((client) => client.apiKeys.revoke(account, id)),
        () => note(`The API key ${id} made for this test could not be revoked: svc keys revoke ${id}`)
      )
  )
})

const describeAttempt = ({ error, host, outcome, replies, tls }: Management.DeliveryAttempt): string => {
  const first = [
    outcome,
    host ?? "no server reached",
    tls ?? "not encrypted",
    ...(error === null ? [] : [error])
  ]
  return [
    `  ${first.map(oneLine).join(", ")}`,
    ...replies.slice(-4).map((reply) => `    ${oneLine(reply)}`)
  ].join("\n")
}

/** `svc send-test`. */
export const sendTest = Command.make(
  "send-test",
  {
    ...serverFlags,
    to: Flag.String("to").pipe(Flag.withDescription("Recipient address"), Flag.withMetavar("address")),
    account: accountFlag.pipe(
      Flag.withDescription(
        "Id of the account to send from. Default: the live account, if there is only one company"
      ),
      Flag.optional
    ),
    from: Flag.String("from").pipe(
      Flag.withDescription("Sender address on a verified domain. Default: the account's default sender"),
      Flag.withMetavar("address"),
      Flag.optional
    ),
    wait: Flag.Int("wait").pipe(
      Flag.withSchema(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 3600 })))),
      Flag.withDescription("Seconds to wait for the outcome"),
      Flag.withDefault(60)
    )
  },
  Effect.fnUntraced(function* (given) {
    const server = yield* serverOf(given)
    const account = yield* accountOf(server, given.account)
    const { id } = yield* submit(server, account, "svc send-test", {
      to: given.to,
      ...(Option.isSome(given.from) ? { from: given.from.value } : {}),
      subject: "Test email of svc",
      text: `This email was sent by svc send-test through ${server.baseUrl}. It needs no answer.`
    })
    yield* print(`Email ${id}`)
    const until = (yield* Clock.currentTimeMillis) + given.wait * 1000
    let said = ""
    for (;;) {
      const { recipients } = yield* server.manage((client) => client.emails.get(account, id))
      const recipient = recipients[0]
      if (recipient === undefined) return yield* CommandFailed.of("The server no longer has the email")
      const { attempts, reason, status } = recipient
      const now = reason === null ? status : `${status} (${reason})`
      if (now !== said) yield* print(`${recipient.email}: ${now}`)
      said = now
      const outcome = settled[status]
      const isOver = (yield* Clock.currentTimeMillis) >= until
      if (outcome !== "waits" || isStuck(reason) || isOver) {
        const last = attempts.at(-1)
        if (last !== undefined) yield* print(describeAttempt(last))
        if (outcome === "good") return
        const help = reason === null ? undefined : advice[reason]
        if (help !== undefined) yield* note(`${reason}: ${help}`)
        else if (isOver) yield* note(`No outcome after ${given.wait} seconds. The server continues to try`)
        return yield* new BadNews()
      }
      yield* Effect.sleep(pollMillis)
    }
  })
).pipe(
  Command.withDescription(
    "Send a test email through the running server and wait for its outcome. The command creates an API key for this call " +
      "and revokes it afterwards. Exit code 0 if a mail server accepted the email, otherwise 1."
  ),
  Command.withShortDescription("Send a test email and wait for its outcome"),
  Command.withExamples([
    { command: "svc send-test --to you@example.com" },
    { command: "svc send-test --to you@example.com --account 019a... --from hello@news.example.com" }
  ])
)
