/**
 * The certificate the SMTP ports are shown: the operator's files, read again at SIGHUP, or one made for this
 * installation and kept in its data directory.
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

/** Where a process's certificate comes from. */
export type CertificateChoice = Pick<Configuration, "dataDir" | "store" | "tls">

/** The certificate at start. A file that holds none is a `CertificateInvalid`. */
export const certificateOf = Effect.fnUntraced(function* (choice: CertificateChoice, mailHost: string) {
  if (choice.tls !== null) return yield* readFiles(choice.tls)
  yield* Effect.logWarning("SMTP encrypts with a self-signed certificate: set SVC_TLS_CERT and SVC_TLS_KEY")
  const now = yield* Clock.currentTimeMillis
  if (choice.store._tag === "Memory") return yield* Effect.promise(() => selfSigned(mailHost, now))
  return yield* Effect.promise(() => keptCertificate(choice.dataDir, mailHost, now))
})

/** The operator's files do not hold a certificate with its key. */
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

/** The certificate of the data directory while it is valid for the name; else a new one, kept there if that can be. */
const keptCertificate = async (directory: string, mailHost: string, now: number): Promise<Certificate> => {
  const path = (name: string) => join(directory, name)
  try {
    const [cert, key] = await Promise.all([readFile(path(certFile), "utf8"), readFile(path(keyFile), "utf8")])
    const parsed = new X509Certificate(cert)
    const fits = parsed.subjectAltName === `DNS:${mailHost}` && Date.parse(parsed.validTo) > now
    if (fits && parsed.checkPrivateKey(createPrivateKey(key))) return { cert, key }
  } catch {
    // There is none yet, or none that can be used.
  }
  const made = await selfSigned(mailHost, now)
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    // Both or neither fit: one that was left alone is made anew.
    await keep(path(keyFile), made.key)
    await keep(path(certFile), made.cert)
  } catch {
    // It serves for this process.
  }
  return made
}

/** A file that appears whole or not at all. */
const keep = async (path: string, content: string): Promise<void> => {
  const partial = `${path}.${process.pid}`
  await writeFile(partial, content, { mode: 0o600 })
  await rename(partial, path)
}

/** Hands over the operator's certificate, read again, at every SIGHUP until the scope closes. One that is none is not. */
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
          onSuccess: () => Effect.logInfo("The certificate was read again"),
          onFailure: (error) => Effect.logError(`${error.message}; the one in use stays`)
        })
      )
    )
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", reload)),
    () => Effect.sync(() => process.off("SIGHUP", reload))
  )
})
