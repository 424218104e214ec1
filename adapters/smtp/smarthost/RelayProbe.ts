/**
 * Implements the RelayProbe port: opens a connection in the same way as sending does, and closes it.
 *
 * @module
 */
import { Clock, Effect, Layer, Result, Semaphore } from "effect"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import { type RelayStep, type RelayStepResult, relaySteps } from "../../../core/model/MailRelay.ts"
import { AddressGuard } from "../../../core/ports/AddressGuard.ts"
import { type ProbedRelay, RelayProbe } from "../../../core/ports/RelayProbe.ts"
import { type CannotOpen, type Connection, open, type Peer } from "../transport/Connection.ts"
import { limits } from "../transport/Limits.ts"
import { relayPeers } from "./RelayPeer.ts"

/** The maximum number of simultaneous checks in a process. Others wait. */
const atOnce = 8
/** The time limits of each address and of the whole check, in milliseconds. */
const openMillis = 7_000
const totalMillis = 15_000
const maxWords = 500

/** The step in which a failure occurred. */
const stepOf = ({ insecure, stage, tlsFailed }: CannotOpen): RelayStep => {
  if (tlsFailed || insecure || stage === "StartTls") return "Tls"
  return stage === "Auth" ? "Authenticate" : "Connect"
}

const wordsOf = (text: string): string =>
  text
    .replaceAll(/[\r\n]+/g, " ")
    .slice(0, maxWords)
    .toWellFormed()

/** The steps that a relay requires, in order. */
const stepsOf = ({ credentials }: ProbedRelay, isEncrypted: boolean): ReadonlyArray<RelayStep> => [
  "Connect",
  ...(isEncrypted ? (["Tls"] as const) : []),
  ...(credentials === null ? [] : (["Authenticate"] as const))
]

/** When each step began, in epoch milliseconds. */
type Starts = Partial<Record<RelayStep, number>>

/** Opens a connection to a server, and records when each step began. */
const openTimed = (peer: Peer, clock: Clock.Clock, starts: Starts): Effect.Effect<Connection, CannotOpen> =>
  Effect.suspend(() => {
    starts.Connect = clock.currentTimeMillisUnsafe()
    return open(peer, { ...limits, openMillis, helloMillis: openMillis }, null, null, (command) => {
      const now = clock.currentTimeMillisUnsafe()
      if (command.startsWith("STARTTLS")) starts.Tls ??= now
      else if (command.startsWith("AUTH")) starts.Authenticate ??= now
    })
  })

/** The results of the steps up to the one that failed, or of all steps. The words belong to the last one. */
const resultsOf = (
  steps: ReadonlyArray<RelayStep>,
  failed: RelayStep | null,
  words: string,
  starts: Starts,
  end: number
): ReadonlyArray<RelayStepResult> => {
  const before = relaySteps.slice(0, failed === null ? undefined : relaySteps.indexOf(failed))
  const tried = [...steps.filter((step) => before.includes(step)), ...(failed === null ? [] : [failed])]
  return tried.map((step, index) => {
    const start = starts[step] ?? starts.Connect ?? end
    const next = tried.slice(index + 1).flatMap((later) => starts[later] ?? [])
    const isLast = index === tried.length - 1
    return {
      step,
      ok: step !== failed,
      words: isLast ? wordsOf(words) : "",
      ms: Math.max(0, Math.round((next[0] ?? end) - start))
    }
  })
}

/** The port over SMTP. */
export const layer: Layer.Layer<RelayProbe, never, AddressGuard | PublicEndpoint> = Layer.effect(
  RelayProbe,
  Effect.gen(function* () {
    const guard = yield* AddressGuard
    const { mailHost } = yield* PublicEndpoint
    const places = yield* Semaphore.make(atOnce)

    const check = Effect.fnUntraced(function* (relay: ProbedRelay) {
      const clock = yield* Clock.Clock
      const starts: Starts = { Connect: clock.currentTimeMillisUnsafe() }
      const peers = yield* Effect.result(relayPeers(guard, relay, mailHost))
      if (Result.isFailure(peers)) {
        const end = clock.currentTimeMillisUnsafe()
        return resultsOf(["Connect"], "Connect", peers.failure.reason, starts, end)
      }
      let last: CannotOpen | null = null
      for (const peer of peers.success) {
        const opened = yield* Effect.result(openTimed(peer, clock, starts))
        const end = clock.currentTimeMillisUnsafe()
        if (Result.isSuccess(opened)) {
          const connection = opened.success
          const isEncrypted = connection.tls() !== null
          connection.quit()
          const words = connection.replies().at(-1) ?? ""
          return resultsOf(stepsOf(relay, isEncrypted), null, words, starts, end)
        }
        last = opened.failure
        // The server was reached, so its other addresses would reply the same.
        if (last.reply !== null || stepOf(last) !== "Connect") break
      }
      const failed = last === null ? "Connect" : stepOf(last)
      const words = last?.reply == null ? last?.conversation.error : last.conversation.replies.at(-1)
      const steps = stepsOf(relay, failed === "Tls" || relay.tls !== "Offered" || starts.Tls !== undefined)
      return resultsOf(steps, failed, words ?? "unreachable", starts, clock.currentTimeMillisUnsafe())
    })

    const late: ReadonlyArray<RelayStepResult> = [
      { step: "Connect", ok: false, words: "timeout", ms: totalMillis }
    ]
    return RelayProbe.of({
      check: (relay) =>
        places.withPermit(
          check(relay).pipe(
            Effect.timeoutOrElse({ duration: totalMillis, orElse: () => Effect.succeed(late) })
          )
        )
    })
  })
)
