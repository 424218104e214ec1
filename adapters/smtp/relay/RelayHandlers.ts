/**
 * Handles the commands of the relay's clients: login, sender, recipients and message.
 *
 * @module
 */
import { type Context, Effect, Redacted } from "effect"
import type {
  SMTPServerAddress,
  SMTPServerAuthentication,
  SMTPServerAuthenticationResponse,
  SMTPServerDataStream,
  SMTPServerSession
} from "smtp-server"
import { RunOwner, type Threads } from "../../../core/ports/Threads.ts"
import { type Answer, answerOf, answers, queuedAs } from "../../../core/relay/Answers.ts"
import type { Entry, Relay } from "../../../core/relay/Relay.ts"
import { parseEmail } from "../../../core/shared/EmailAddress.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { type Done, Rejection, runCommand } from "../SmtpServer.ts"
import { type Held, Intake } from "./Intake.ts"
import type { Limits } from "./Limits.ts"
import { readMail } from "./MailReader.ts"
import { addressOf, type RelayConnection } from "./RelayConnection.ts"
import type { Telemetry } from "./Telemetry.ts"

/** The account and the key of a connection that has logged in. */
interface Login {
  readonly accountId: string
  readonly keyId: string
  readonly key: Redacted.Redacted
}

/** The dependencies of the handlers. */
export interface RelayHandlersOptions {
  readonly relay: Relay["Service"]
  /** The context in which effects run. */
  readonly context: Context.Context<never>
  readonly threads: Threads["Service"]
  readonly telemetry: Telemetry
  readonly limits: Limits
}

/** A message that begins. */
interface Incoming {
  readonly stream: SMTPServerDataStream
  readonly session: SMTPServerSession
  readonly connection: RelayConnection | undefined
  readonly done: Done
}

/** The handlers of all ports of a relay. */
export type RelayHandlers = ReturnType<typeof makeRelayHandlers>

/** Makes the handlers of all ports of a relay. */
export const makeRelayHandlers = ({ context, limits, relay, telemetry, threads }: RelayHandlersOptions) => {
  const held: Held = { bytes: 0 }

  /** Runs an effect that returns a reply. The reply is 451 if it fails or takes too long. */
  const run = (effect: Effect.Effect<Answer | null, unknown>, done: (answer: Answer | null) => void): void =>
    runCommand(
      effect,
      {
        context,
        millis: limits.takeMillis,
        orElse: answers.temporary,
        defectMessage: "A message could not be taken"
      },
      done
    )

  const accept = Effect.fnUntraced(function* (
    { accountId, keyId }: Login,
    session: SMTPServerSession,
    raw: Buffer
  ) {
    const mail = yield* readMail(threads, raw).pipe(
      Effect.provideService(RunOwner, accountId),
      // A full queue is temporary, so the message is deferred. Other limits concern the message itself, which is rejected.
      Effect.catch(({ bound }) => (bound === "Queue" ? Effect.fail(bound) : Effect.succeed(null)))
    )
    if (mail === null) return answerOf(Problem.of("sending.message_unreadable"))
    const envelope = session.envelope.rcptTo.flatMap((to) => parseEmail(addressOf(to)) ?? [])
    return yield* relay.accept(accountId, keyId, envelope, mail).pipe(
      Effect.map(queuedAs),
      Effect.catchTag("Problem", (problem) => Effect.succeed(answerOf(problem)))
    )
  })

  return {
    /** AUTH: logs in with an API key as the password. */
    onAuth: (
      { password: given }: SMTPServerAuthentication,
      session: SMTPServerSession,
      connection: RelayConnection | undefined,
      done: (error: Error | null | undefined, response?: SMTPServerAuthenticationResponse) => void
    ): void => {
      const password = given ?? ""
      const login = { accountId: "", keyId: "" }
      const authenticate = Effect.map(relay.login(session.remoteAddress, password), (entry) => {
        if (entry._tag === "Authenticated") {
          login.accountId = entry.accountId
          login.keyId = entry.keyId
        }
        return rejectionOf(entry)
      })
      run(telemetry.step(session.id, "login", authenticate), (answer) => {
        if (answer !== null) return done(rejected(answer))
        if (connection?.loggedIn(login.accountId) === false) return connection.end(answers.tooManyOfAccount)
        const user: Login = { ...login, key: Redacted.make(password, { label: "API key" }) }
        return done(null, { user })
      })
    },
    /** MAIL: counts a message of the key, which may have been revoked since the login. */
    onMailFrom: (session: SMTPServerSession, done: Done): void => {
      const login = loginOf(session)
      if (login === null) return done(rejected(answers.loginRequired))
      const authenticate = Effect.map(relay.authenticate(Redacted.value(login.key)), rejectionOf)
      return run(telemetry.step(session.id, "mail", authenticate), (answer) => {
        // The key was revoked after the login.
        if (answer === answers.loginRefused) session.user = undefined
        done(answer && rejected(answer))
      })
    },
    /** RCPT: accepts any email address. */
    onRcptTo: (to: SMTPServerAddress, done: Done): void =>
      done(parseEmail(addressOf(to)) === null ? rejected(answers.badRecipient) : null),
    /** DATA: reads a message and passes it to the core. */
    onData: ({ connection, done, session, stream }: Incoming): void => {
      const login = loginOf(session)
      const finish = (answer: Answer) => {
        intake.release()
        if (answer.code === 250) {
          connection?.accepted()
          done(null, `${answer.enhanced} ${answer.text}`)
        } else done(rejected(answer))
        connection?.replied()
      }
      const intake = new Intake(stream, {
        limits,
        held,
        onCut: (answer) => connection?.end(answer),
        onEnd: (message) => {
          if (login === null) return finish(answers.loginRequired)
          if (!Buffer.isBuffer(message)) return finish(message)
          const accepted = accept(login, session, message)
          return run(telemetry.step(session.id, "message", accepted), (answer) =>
            finish(answer ?? answers.temporary)
          )
        }
      })
    }
  }
}

const rejected = ({ code, enhanced, text }: Answer): Rejection => new Rejection(code, `${enhanced} ${text}`)

/** The reply to a rejected login; null if the login was accepted. */
const rejectionOf = ({ _tag }: Entry): Answer | null => {
  switch (_tag) {
    case "Authenticated":
      return null
    case "Refused":
      return answers.loginRefused
    case "LockedOut":
      return answers.lockedOut
    case "RateLimited":
      return answers.tooManyMessages
  }
}

const loginOf = ({ user }: SMTPServerSession): Login | null => {
  const login: unknown = user
  return typeof login === "object" && login !== null ? (login as Login) : null
}
