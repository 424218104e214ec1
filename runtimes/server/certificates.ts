/**
 * Provides the certificate of the SMTP ports: the operator's files, which are reloaded on SIGHUP, or a self-signed certificate
 * that is kept in the data directory.
 *
 * @module
 */
import { Clock, Effect, FileSystem, Metric, Path } from "effect"
import { X509Certificate, createPrivateKey } from "node:crypto"
import { createSecureContext } from "node:tls"
import { type Certificate, selfSigned } from "../../adapters/smtp/Certificate.ts"
import type { Configuration, TlsFiles } from "../config/config.ts"

const certFile = "smtp-cert.pem"
const keyFile = "smtp-key.pem"

const expiry = Metric.gauge("svc_certificate_expiry_timestamp_seconds", {
  description: "When the certificate of the SMTP ports expires, since the Unix epoch"
})

/** The certificate that this process uses, in PEM; null while it uses none. */
let inUse: string | null = null

/** The certificate that this process uses, in PEM; null while it uses none. */
export const certificateInUse = (): string | null => inUse

/** Records the certificate that is used from now on, and when it expires. */
const recordExpiry = ({ cert }: Certificate): Effect.Effect<void> =>
  Effect.andThen(
    Effect.sync(() => {
      inUse = cert
    }),
    Metric.update(expiry, Date.parse(new X509Certificate(cert).validTo) / 1000)
  )

/** The settings that determine a process's certificate. */
export type CertificateChoice = Pick<Configuration, "dataDir" | "store" | "tls">

/** The certificate at the start. Fails with `CertificateInvalid` if a file does not contain one. */
export const certificateOf = (choice: CertificateChoice, mailHost: string) =>
  Effect.tap(chosenCertificate(choice, mailHost), recordExpiry)

const chosenCertificate = Effect.fnUntraced(function* (choice: CertificateChoice, mailHost: string) {
  if (choice.tls !== null) return yield* readFiles(choice.tls)
  yield* Effect.logWarning("SMTP encrypts with a self-signed certificate: set SVC_TLS_CERT and SVC_TLS_KEY")
  const now = yield* Clock.currentTimeMillis
  if (choice.store._tag === "Memory") return yield* Effect.promise(() => selfSigned(mailHost, now))
  return yield* keptCertificate(choice.dataDir, mailHost, now)
})

/** The operator's files do not contain a certificate with its key. */
export class CertificateInvalid extends Error {
  override readonly name = "CertificateInvalid"
}

const readPair = Effect.fnUntraced(function* (files: TlsFiles) {
  const { readFileString } = yield* FileSystem.FileSystem
  const [cert, key] = yield* Effect.all([readFileString(files.cert), readFileString(files.key)])
  return { cert, key }
})

const isPair = ({ cert, key }: Certificate): boolean =>
  new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))

const certificateInvalid = (): CertificateInvalid =>
  new CertificateInvalid("SVC_TLS_CERT and SVC_TLS_KEY are not a certificate and its private key, PEM")

const readFiles = (files: TlsFiles) =>
  Effect.flatMap(Effect.mapError(readPair(files), certificateInvalid), (pair) =>
    Effect.try({
      try: () => {
        createSecureContext(pair)
        if (!isPair(pair)) throw new Error("keys differ")
        return pair
      },
      catch: certificateInvalid
    })
  )

/** The certificate in the data directory if it is valid for the name; otherwise a new one, which is stored there if possible. */
const keptCertificate = Effect.fnUntraced(function* (directory: string, mailHost: string, now: number) {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const paths = { cert: join(directory, certFile), key: join(directory, keyFile) }
  const kept = yield* Effect.option(
    Effect.flatMap(readPair(paths), (pair) =>
      Effect.try({ try: () => (isValid(pair, mailHost, now) ? pair : null), catch: () => null })
    )
  )
  if (kept._tag === "Some" && kept.value !== null) return kept.value
  const made = yield* Effect.promise(() => selfSigned(mailHost, now))
  // A process that cannot write the files still uses the certificate. If one file of the pair is missing, both are replaced.
  yield* Effect.ignore(
    Effect.andThen(
      files.makeDirectory(directory, { recursive: true, mode: 0o700 }),
      Effect.andThen(writeWhole(paths.key, made.key), writeWhole(paths.cert, made.cert))
    )
  )
  return made
})

const isValid = (pair: Certificate, mailHost: string, now: number): boolean => {
  const { subjectAltName, validTo } = new X509Certificate(pair.cert)
  return subjectAltName === `DNS:${mailHost}` && Date.parse(validTo) > now && isPair(pair)
}

/** Writes a file atomically. */
const writeWhole = Effect.fnUntraced(function* (path: string, content: string) {
  const files = yield* FileSystem.FileSystem
  const partial = `${path}.${process.pid}`
  yield* files.writeFileString(partial, content, { mode: 0o600 })
  yield* files.rename(partial, path)
})

/** Passes the operator's certificate to `use` at every SIGHUP, until the scope closes. An invalid one is logged. */
export const onCertificateChange = Effect.fnUntraced(function* (
  tls: TlsFiles | null,
  use: (certificate: Certificate) => void
) {
  const run = Effect.runForkWith(yield* Effect.context<FileSystem.FileSystem>())
  const reload = () => {
    if (tls === null) return
    run(
      readFiles(tls).pipe(
        Effect.tap(recordExpiry),
        Effect.map(use),
        Effect.matchEffect({
          onSuccess: () => Effect.logInfo("The certificate was reloaded"),
          onFailure: (error) => Effect.logError(`${error.message}; the current certificate stays in use`)
        })
      )
    )
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", reload)),
    () => Effect.sync(() => process.off("SIGHUP", reload))
  )
})
