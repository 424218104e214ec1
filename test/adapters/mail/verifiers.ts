/**
 * Verifiers of DKIM signatures that share no code with the signer.
 *
 * @module
 */
import { dkimVerify } from "mailauth/lib/dkim/verify.js"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** TXT records by name. */
export type TxtRecords = Readonly<Record<string, string>>

/** The result of mailauth for each signature, such as `pass`. */
export const byMailauth = async (raw: Uint8Array, records: TxtRecords): Promise<ReadonlyArray<string>> => {
  const resolver = async (name: string, type: string) => {
    const record = records[name]
    if (type !== "TXT" || record === undefined)
      throw Object.assign(new Error("ENOTFOUND"), { code: "ENOTFOUND" })
    return [[record]]
  }
  const { results } = await dkimVerify(Buffer.from(raw), { resolver })
  return results.map((result) => result.status.result)
}

const pythons = ["/usr/bin/python3", "python3"]

const knowsDkim = (python: string): boolean => {
  try {
    execFileSync(python, ["-c", "import dkim, nacl"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** A Python with dkimpy and PyNaCl; null if there is none. */
export const pythonWithDkim: string | null = pythons.find(knowsDkim) ?? null

/** Whether dkimpy accepts each signature. */
export const byDkimpy = (python: string, raw: Uint8Array, records: TxtRecords): ReadonlyArray<boolean> => {
  const folder = mkdtempSync(join(tmpdir(), "svc-dkim-"))
  try {
    const file = join(folder, "records.json")
    writeFileSync(file, JSON.stringify(records))
    const script = join(import.meta.dirname, "dkimVerify.py")
    return JSON.parse(
      execFileSync(python, [script, file], { input: raw, encoding: "utf8" })
    ) as Array<boolean>
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
