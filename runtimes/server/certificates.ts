/**
 * Provides the certificate of the SMTP ports: the operator's files, reloaded on SIGHUP, or a self-signed certificate kept
 * in the data directory.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { X509Certificate, createPrivateKey } from "node:crypto"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createSecureContext } from "node:tls"
import { type Certificate, selfSigned } from "../../adapters/smtp/Certificate.ts"
import type { Configuration, TlsFiles } from "../config/config.ts"

const certFile = "smtp-cert.pem"
const keyFile = "smtp-key.pem"

/** The part of the configuration that selects the certificate. */
export type CertificateChoice = Pick<Configuration, "dataDir" | "store" | "tls">

/** The certificate at the start. Fails with `CertificateInvalid` when the files hold none. */
export const certificateOf = Effect.fnUntraced(function* (choice: CertificateChoice, mailHost: string) {
  if (choice.tls !== null) return yield* readFiles(choice.tls)
  yield* Effect.logWarning("SMTP encrypts with a self-signed certificate: set SVC_TLS_CERT and SVC_TLS_KEY")
  const now = yield* Clock.currentTimeMillis
  if (choice.store._tag === "Memory") return yield* Effect.promise(() => selfSigned(mailHost, now))
  return yield* Effect.promise(() => keptCertificate(choice.dataDir, mailHost, now))
})

/** The operator's files do not hold a certificate and its private key. */
export class CertificateInvalid extends Error {
  override readonly name = "CertificateInvalid"
}

const readFiles = (files: TlsFiles): Effect.Effect<Certificate, CertificateInvalid> =>
  Effect.tryPromise({
    try: async () => {
      const [cert, key] = await Promise.all([readFile(files.cert, "utf8"), readFile(files.key, "utf8")])
      createSecureContext({ cert, key })
      if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error("keys differ")
      return { cert, key }
    },
    catch: () =>
      new CertificateInvalid("SVC_TLS_CERT and SVC_TLS_KEY are not a certificate and its private key, PEM")
  })

/** The certificate of the data directory while it is valid for the name; else a new one, kept there if possible. */
const keptCertificate = async (directory: string, mailHost: string, now: number): Promise<Certificate> => {
  const path = (name: string) => join(directory, name)
  try {
    const [cert, key] = await Promise.all([readFile(path(certFile), "utf8"), readFile(path(keyFile), "utf8")])
    const parsed = new X509Certificate(cert)
    const fits = parsed.subjectAltName === `DNS:${mailHost}` && Date.parse(parsed.validTo) > now
    if (fits && parsed.checkPrivateKey(createPrivateKey(key))) return { cert, key }
  } catch {
    // There is no usable certificate yet.
  }
  const made = await selfSigned(mailHost, now)
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    // A certificate without its key, or the reverse, is replaced at the next start.
    await keep(path(keyFile), made.key)
    await keep(path(certFile), made.cert)
  } catch {
    // This process uses it; the next start makes another.
  }
  return made
}

/** Writes a file atomically. */
const keep = async (path: string, content: string): Promise<void> => {
  const partial = `${path}.${process.pid}`
  await writeFile(partial, content, { mode: 0o600 })
  await rename(partial, path)
}

/** Calls `use` with the reloaded certificate on every SIGHUP until the scope closes; an invalid certificate is logged. */
export const onCertificateChange = Effect.fnUntraced(function* (
  tls: TlsFiles | null,
  use: (certificate: Certificate) => void
) {
  const run = Effect.runForkWith(yield* Effect.context())
  const reload = () => {
    if (tls === null) return
    run(
      readFiles(tls).pipe(
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
