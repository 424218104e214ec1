/**
 * Runs several server processes behind the same ports. It starts them one after another, replaces a process that ends, and
 * restarts them one by one on SIGUSR2, so that calls are answered throughout.
 *
 * @module
 */
import { Cause, Data, Effect, Exit, Queue } from "effect"
import cluster, { type Worker } from "node:cluster"
import { ListenFailed } from "../../adapters/http/server/NodeServer.ts"
import { RelayPortTaken } from "../../adapters/smtp/relay/RelayServer.ts"
import { ReportPortTaken } from "../../adapters/smtp/reports/ReportServer.ts"
import type { Configuration } from "../config/config.ts"
import { type ReadyFacts, writeReadyFile } from "../server/announce.ts"
import { listenError } from "../server/portsTaken.ts"
import { smtpAddressOf } from "../server/publicEndpoint.ts"
import { type Message, messageIn, metricsMillis, type ReadyMessage } from "./messages.ts"
import type { ProcessGroup } from "./ProcessPlan.ts"

/** A process ended before it accepted work. The process itself has reported the reason. */
export class ProcessNotStarted extends Data.TaggedError("ProcessNotStarted")<{
  readonly code: number | null
}> {
  override readonly message = `A process of SVC_PROCESSES did not start: it ended with ${this.code ?? "a signal"}`
}

/** How long a process may take to stop before it is killed, in milliseconds. It is more than the time limit of a stop. */
const stopMillis = 10_000

/** The pause before a process is started again, in milliseconds. It doubles with each failed start. */
const firstPause = 1_000
const longestPause = 30_000

/** A slot for a process: its roles, and the process that currently has them. */
interface Place {
  readonly roles: string | null
  worker: Worker | null
}

/** Starts a process, and returns its message when it accepts work. */
const start = (place: Place): Effect.Effect<ReadyMessage, ProcessNotStarted> =>
  Effect.callback((resume) => {
    const worker = cluster.fork({
      SVC_PROCESSES: "1",
      ...(place.roles === null ? {} : { SVC_ROLES: place.roles })
    })
    const ended = (code: number | null) => resume(Effect.fail(new ProcessNotStarted({ code })))
    worker.once("exit", ended)
    worker.on("message", (value: unknown) => {
      const message = messageIn(value)
      if (message?._tag !== "Ready") return
      worker.off("exit", ended)
      place.worker = worker
      resume(Effect.succeed(message))
    })
    return Effect.promise(() => stop(worker))
  })

/** Stops a process, finally by force. */
const stop = (worker: Worker): Promise<void> =>
  new Promise((resolve) => {
    if (worker.isDead()) return resolve()
    const force = setTimeout(() => worker.process.kill("SIGKILL"), stopMillis)
    worker.once("exit", () => {
      clearTimeout(force)
      resolve()
    })
    worker.process.kill("SIGTERM")
  })

/** Replies to the requests of processes for the metrics of the others. */
const shareMetrics = (): void => {
  const answers = new Map<number, (texts: ReadonlyArray<string>) => void>()
  let last = 0
  const askedOf = (worker: Worker): Promise<ReadonlyArray<string>> =>
    new Promise((resolve) => {
      const id = ++last
      const end = (texts: ReadonlyArray<string>) => {
        clearTimeout(timer)
        answers.delete(id)
        resolve(texts)
      }
      const timer = setTimeout(() => end([]), metricsMillis)
      answers.set(id, end)
      worker.send({ _tag: "MetricsAsked", id } satisfies Message)
    })
  cluster.on("message", (asking, value: unknown) => {
    const message = messageIn(value)
    if (message?._tag === "MetricsGiven") return answers.get(message.id)?.(message.texts)
    if (message?._tag !== "MetricsAsked") return
    const others = Object.values(cluster.workers ?? {}).filter(
      (worker): worker is Worker => worker !== undefined && worker.id !== asking.id && worker.isConnected()
    )
    void Promise.all(others.map(askedOf)).then((texts) => {
      if (!asking.isConnected()) return
      asking.send({ _tag: "MetricsGiven", id: message.id, texts: texts.flat() } satisfies Message)
    })
  })
}

/** Combines the facts of processes with different roles into those of the installation. */
const together = (facts: ReadonlyArray<ReadyFacts>): ReadyFacts => ({
  baseUrl: facts.find(({ baseUrl }) => baseUrl !== null)?.baseUrl ?? null,
  smtp: facts.find(({ smtp }) => smtp.length > 0)?.smtp ?? [],
  managementToken: facts.find(({ managementToken }) => managementToken !== null)?.managementToken ?? null,
  sandbox: facts.find(({ sandbox }) => sandbox !== null)?.sandbox ?? null
})

/** Makes a queue of the events and signals, until the scope closes. */
const signals = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<"Ended" | "Restart">()
  const offer = (what: "Ended" | "Restart") => () => void Queue.offerUnsafe(queue, what)
  const reload = () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGHUP")
  }
  const [ended, restart] = [offer("Ended"), offer("Restart")]
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      cluster.on("exit", ended)
      process.on("SIGUSR2", restart)
      process.on("SIGHUP", reload)
    }),
    () =>
      Effect.sync(() => {
        cluster.off("exit", ended)
        process.off("SIGUSR2", restart)
        process.off("SIGHUP", reload)
      })
  )
  return queue
})

/**
 * Fails if another program listens on a port of the processes. On Bun, each process listens on its own, on a port that it shares.
 * Another program of the same user that shares the port too would not cause an error, so ports are checked first.
 */
const checkPorts = Effect.fnUntraced(function* (configuration: Configuration) {
  const { host, inboundPort, port, processes, roles, smtpPorts } = configuration
  const all = new Set(processes.flatMap((group) => group.roles?.split(",") ?? [...roles]))
  const address = smtpAddressOf(configuration)
  const ofSmtp = [
    ...smtpPorts.map((relay) => ({
      host: address,
      port: relay.port,
      taken: (cause: Error) => new RelayPortTaken({ port: relay.port, cause })
    })),
    ...(inboundPort === null
      ? []
      : [{ host: address, port: inboundPort, taken: (cause: Error) => new ReportPortTaken({ cause }) }])
  ]
  const ofApi = [{ host, port, taken: (cause: Error) => new ListenFailed({ cause }) }]
  for (const one of [...(all.has("api") ? ofApi : []), ...(all.has("smtp") ? ofSmtp : [])]) {
    const error = yield* Effect.promise(() => listenError(one.host, one.port))
    // Other errors are reported by the processes themselves, which may use another port.
    if (error !== null && "code" in error && error.code === "EADDRINUSE")
      return yield* Effect.fail(one.taken(error))
  }
})

/**
 * Runs the processes of a plan until interrupted, and then stops them. Fails if a port is taken, and with `ProcessNotStarted` if
 * the first start fails.
 */
export const supervise = Effect.fnUntraced(function* (configuration: Configuration) {
  const { processes, readyFile } = configuration
  yield* checkPorts(configuration)
  shareMetrics()
  const places = processes.flatMap(({ count, roles }: ProcessGroup) =>
    Array.from({ length: count }, (): Place => ({ roles, worker: null }))
  )
  yield* Effect.addFinalizer(() =>
    Effect.promise(() =>
      Promise.all(
        Object.values(cluster.workers ?? {}).map((worker) =>
          worker === undefined ? undefined : stop(worker)
        )
      )
    )
  )
  const queue = yield* signals
  // The first process of each group prepares what the others share: the database, secrets and certificates.
  const first = new Map(places.map((place) => [place.roles, place] as const).toReversed())
  const facts: Array<ReadyFacts> = []
  for (const place of first.values()) {
    const ready = yield* start(place)
    for (const line of ready.lines) console.log(line)
    facts.push(ready.facts)
  }
  const isWaiting = ({ worker }: Place) => worker === null
  yield* Effect.forEach(places.filter(isWaiting), start, { concurrency: "unbounded", discard: true })
  if (readyFile !== null) yield* writeReadyFile(readyFile, together(facts))
  yield* Effect.annotateLogs(Effect.logInfo("processes started"), { count: places.length })

  /** Starts a process in a slot, again and again until it succeeds. */
  const startAgain = Effect.fnUntraced(function* (place: Place) {
    for (let pause = firstPause; ; pause = Math.min(longestPause, 2 * pause)) {
      const exit = yield* Effect.exit(start(place))
      if (Exit.isSuccess(exit)) return
      if (Cause.hasInterrupts(exit.cause)) return yield* Effect.interrupt
      yield* Effect.annotateLogs(Effect.logError("process not started"), { pauseMillis: pause })
      yield* Effect.sleep(pause)
    }
  })

  while (true) {
    if ((yield* Queue.take(queue)) === "Restart") {
      for (const place of places) {
        const before = place.worker
        yield* startAgain(place)
        if (before !== null) yield* Effect.promise(() => stop(before))
      }
      yield* Effect.logInfo("processes restarted")
    }
    const ended = places.filter(({ worker }) => worker?.isDead() === true)
    for (const { roles, worker } of ended) {
      const { exitCode, pid, signalCode } = worker!.process
      yield* Effect.annotateLogs(Effect.logError("process ended"), { pid, exitCode, signalCode, roles })
    }
    yield* Effect.forEach(ended, startAgain, { concurrency: "unbounded", discard: true })
  }
})
