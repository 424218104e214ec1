/**
 * Rejections, time limits and listening, shared by the SMTP servers of the service.
 *
 * @module
 */
import { Cause, type Context, Effect, Exit } from "effect"
import cluster from "node:cluster"
import type { AddressInfo } from "node:net"
import type { SMTPServer } from "smtp-server"
import { describeDefect } from "../../core/shared/Defect.ts"

/** On Bun, processes of a supervisor share a port by an option of the socket; on Node, `node:cluster` shares it. */
const sharesPorts = cluster.isWorker && process.versions["bun"] !== undefined

/** A reply of code 400 or higher, as smtp-server sends it. */
export class Rejection extends Error {
  readonly responseCode: number
  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/** Ends a command of smtp-server: with a rejection, or with the text of a reply of success. */
export type Done = (error?: Error | null, text?: string) => void

/** How a command is run. */
export interface CommandOptions<A> {
  readonly context: Context.Context<never>
  /** The time limit, milliseconds. */
  readonly millis: number
  /** The result of a failure, a defect, and a command that exceeds its time limit. */
  readonly orElse: A
  /** The log message of a defect. */
  readonly defectMessage: string
}

/** Runs the effect of a command, and calls `done` with its result. */
export const runCommand = <A>(
  effect: Effect.Effect<A, unknown>,
  { context, defectMessage, millis, orElse }: CommandOptions<A>,
  done: (result: A) => void
): void => {
  const run = Effect.runCallbackWith(context)
  run(Effect.timeoutOrElse(effect, { duration: millis, orElse: () => Effect.succeed(orElse) }), {
    onExit: (exit) => {
      if (Exit.isSuccess(exit)) return done(exit.value)
      if (Cause.hasDies(exit.cause))
        run(Effect.logError(defectMessage).pipe(Effect.annotateLogs(describeDefect(exit.cause))))
      return done(orElse)
    }
  })
}

/**
 * Listens on a port, 0 for any free one, of a host, null for every address of the machine; returns the port. Fails with
 * the system's error.
 */
export const listen = (server: SMTPServer, host: string | null, port: number): Effect.Effect<number, Error> =>
  Effect.callback((resume) => {
    const fail = (cause: Error) => resume(Effect.fail(cause))
    server.once("error", fail)
    server.listen({ port, ...(host === null ? {} : { host }), reusePort: sharesPorts }, () => {
      server.off("error", fail)
      // Later errors are those of connections, which end by themselves.
      server.on("error", () => undefined)
      resume(Effect.succeed((server.server.address() as AddressInfo).port))
    })
  })

/** Stops listening and waits until the connections have ended. */
export const close = (server: SMTPServer): Effect.Effect<void> =>
  Effect.callback((resume) => server.close(() => resume(Effect.void)))
