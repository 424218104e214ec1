/**
 * Collects what a server process reports about itself.
 *
 * @module
 */
import { Clock, Effect, FileSystem, Option } from "effect"
import { randomUUID, X509Certificate } from "node:crypto"
import { hostname, networkInterfaces } from "node:os"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import type { CertificateFacts, ProcessFacts } from "../../core/kernel/ProcessInfo.ts"
import type { NodeMeasures } from "../../core/model/Node.ts"
import { version } from "../cli/version.ts"
import type { Configuration } from "../config/config.ts"
import { configuredValues } from "../config/values.ts"
import { logRing } from "../telemetry/logRing.ts"
import { certificateInUse } from "./certificates.ts"

/** The interval between two samples of the event loop, in milliseconds. */
const resolution = 20

const isBun = process.versions["bun"] !== undefined

/** Makes an effect that measures the process since the previous measurement. */
const makeMeasures = (): Effect.Effect<NodeMeasures> => {
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  // Node measures the whole interval between two samples, Bun only the part beyond the resolution.
  const expected = isBun ? 0 : resolution
  return Effect.sync(() => {
    const late = delays.count === 0 ? 0 : delays.percentile(99) / 1e6 - expected
    delays.reset()
    const { heapUsed, rss } = process.memoryUsage()
    return {
      eventLoopDelayMs: Math.max(0, Math.round(late * 10) / 10),
      memoryBytes: rss,
      heapUsedBytes: heapUsed,
      heapLimitBytes: getHeapStatistics().heap_size_limit
    }
  })
}

const factsOf = (pem: string): CertificateFacts => {
  const certificate = new X509Certificate(pem)
  const names = (certificate.subjectAltName ?? "")
    .split(", ")
    .flatMap((name) => (name.startsWith("DNS:") ? [name.slice(4)] : []))
  return {
    usedFor: "Smtp",
    names: names.length === 0 ? [certificate.subject] : names,
    issuer: certificate.issuer.replaceAll("\n", ", "),
    validFrom: Date.parse(certificate.validFrom),
    validTo: Date.parse(certificate.validTo),
    isSelfSigned: certificate.subject === certificate.issuer
  }
}

/** The information that a server process with a configuration reports about itself, from its start on. */
export const processInfo = Effect.fnUntraced(function* (configuration: Configuration) {
  const { stat } = yield* FileSystem.FileSystem
  const startedAt = yield* Clock.currentTimeMillis
  const { backupFile, roles } = configuration
  return {
    node: {
      id: randomUUID(),
      host: hostname(),
      version,
      runtime: isBun ? `bun ${process.versions["bun"]}` : `node ${process.versions.node}`,
      roles: [...roles],
      startedAt,
      addresses: Object.values(networkInterfaces()).flatMap((of = []) =>
        of.map(({ address }) => address.split("%", 1)[0]!)
      )
    },
    measures: makeMeasures(),
    configuration: configuredValues(configuration, process.env),
    certificates: Effect.sync(() => {
      const pem = certificateInUse()
      return pem === null ? [] : [factsOf(pem)]
    }),
    lastBackup:
      backupFile === null
        ? Effect.succeed(null)
        : Effect.map(Effect.option(stat(backupFile)), (found) => ({
            at: Option.match(
              Option.flatMap(found, ({ mtime }) => mtime),
              { onNone: () => null, onSome: (at) => at.getTime() }
            )
          })),
    logs: Effect.map(Clock.currentTimeMillis, (now) => logRing.lines(now))
  } satisfies ProcessFacts
})
