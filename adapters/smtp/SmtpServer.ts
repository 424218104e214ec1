/**
 * Rejections, time limits and listening, which the SMTP servers of the service share.
 *
 * @module
 */
import { Cause, type Context, Effect, Exit } from "effect"
import cluster from "node:cluster"
import type { AddressInfo } from "node:net"
import type { SMTPServer } from "smtp-server"
import { describeDefect } from "../../core/shared/Defect.ts"

/** On Bun, the processes of a supervisor share a port with an option of the socket. On Node, `node:cluster` shares it. */
const sharesPorts = cluster.isWorker && process.versions["bun"] !== undefined

/** A reply of code 400 or higher, as smtp-server sends it. */
export class Rejection extends Error {
  readonly responseCode: number
  constructor(responseCode: number, message: string) {
    super(message)
    this.responseCode = responseCode
  }
}

/** Completes a command of smtp-server, with a rejection or with the text of a successful reply. */
export type Done = (error?: Error | null, text?: string) => void

/** The options for running a command. */
export interface CommandOptions<A> {
  readonly context: Context.Context<never>
  /** The time limit, in milliseconds. */
  readonly millis: number
  /** The result if the command fails, has a defect, or exceeds its time limit. */
  readonly orElse: A
  /** The log message of a defect. */
  readonly defectMessage: string
}

/** Runs the effect of a command and calls `done` with its result. */
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
 * Listens on a port (0 for any free one) of a host (null for every address of the machine). Returns the port. Fails with the
 * system's error.
 */
export const listen = (server: SMTPServer, host: string | null, port: number): Effect.Effect<number, Error> =>
  Effect.callback((resume) => {
    const fail = (cause: Error) => resume(Effect.fail(cause))
    server.once("error", fail)
    server.listen({ port, ...(host === null ? {} : { host }), reusePort: sharesPorts }, () => {
      server.off("error", fail)
      // Later errors concern connections, which end on their own.
      server.on("error", () => undefined)
      resume(Effect.succeed((server.server.address() as AddressInfo).port))
    })
  })

/** Stops listening and waits until the connections have ended. */
export const close = (server: SMTPServer): Effect.Effect<void> =>
  Effect.callback((resume) => server.close(() => resume(Effect.void)))
