/**
 * Checks the data directory, and the secret key in it.
 *
 * @module
 */
import { access, constants, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Configuration } from "../../config/config.ts"
import { codeOf } from "../output.ts"
import { fail, type Finding, ok, warn } from "./Finding.ts"

/** The permission bits of a file's group and of others. */
const othersMask = 0o077

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0")

/** Checks that the data directory exists, is writable, and is accessible only to its owner. */
export const checkDataDirectory = async ({ dataDir, store }: Configuration): Promise<Finding> => {
  const check = "data directory"
  if (store._tag === "Memory") return ok(check, "not used, because SVC_STORE is memory")
  try {
    const { mode } = await stat(dataDir)
    await access(dataDir, constants.R_OK | constants.W_OK)
    return (mode & othersMask) === 0
      ? ok(check, `${dataDir} is writable, and only its owner has access (${octal(mode)})`)
      : warn(check, `other users have access to ${dataDir} (${octal(mode)})`, `chmod 700 ${dataDir}`)
  } catch (error) {
    const code = codeOf(error)
    if (code === "ENOENT") return ok(check, `${dataDir} does not exist yet; the first start creates it`)
    return fail(
      check,
      `${dataDir} cannot be read and written: ${code}`,
      "Make the user that runs the service its owner"
    )
  }
}

/** Checks that there is a valid and protected secret key. The check of the store tests whether it fits the data. */
export const checkSecretKeySource = async ({
  dataDir,
  secretKey,
  store
}: Configuration): Promise<Finding> => {
  const check = "secret key"
  if (secretKey !== null) return ok(check, "from SVC_SECRET_KEY; keep a copy with your backups")
  if (store._tag === "Memory") return ok(check, "each process creates its own, because SVC_STORE is memory")
  const path = join(dataDir, "secret.key")
  try {
    const [text, { mode }] = await Promise.all([readFile(path, "utf8"), stat(path)])
    if (!/^[0-9a-f]{64}\s*$/i.test(text)) {
      return fail(
        check,
        `${path} does not contain a key of 64 hexadecimal digits`,
        "Restore the file from a backup, or set SVC_SECRET_KEY"
      )
    }
    if ((mode & othersMask) !== 0)
      return warn(check, `other users have access to ${path} (${octal(mode)})`, `chmod 600 ${path}`)
    if (store._tag === "Postgres") {
      return warn(
        check,
        `from ${path}, which exists only on this machine`,
        "Give every node the same SVC_SECRET_KEY, and keep a copy with your backups"
      )
    }
    return ok(check, `from ${path}; keep a copy with your backups`)
  } catch (error) {
    const code = codeOf(error)
    if (code !== "ENOENT")
      return fail(check, `${path} cannot be read: ${code}`, "Allow the user that runs the service to read it")
    return store._tag === "Postgres"
      ? warn(
          check,
          "none yet; the first start creates one that only this machine has",
          "Give every node the same SVC_SECRET_KEY"
        )
      : ok(check, "none yet; the first start creates one")
  }
}
