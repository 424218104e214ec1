/**
 * Reads and writes backup files: lines of JSON, compressed with gzip. The first line describes the content and has a hash of
 * its own. Each table has a line, a line for each row, and a line with the number and the hash of its rows. The last line
 * has the number of rows of each table.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createReadStream } from "node:fs"
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises"
import { createGunzip, createGzip, type Gzip } from "node:zlib"
import type { Digest } from "./Digest.ts"
import type { Sequence, Table } from "./Snapshot.ts"

const format = 1

/** The first line of a file. */
export interface Header {
  readonly svc: "backup"
  readonly format: number
  /** The id of this backup. */
  readonly id: string
  readonly schema: number
  /** When the backup was begun, in the form of RFC 3339. */
  readonly at: string
  readonly tables: ReadonlyArray<Table>
  readonly sequences: ReadonlyArray<Sequence>
  /** The hash of the other fields. Earlier versions wrote none. */
  readonly hash?: string
}

/** The SHA-256 of the fields of a first line, except the hash. */
const hashOf = (fields: Fields): string =>
  createHash("sha256")
    .update(JSON.stringify({ ...fields, hash: undefined }))
    .digest("hex")

/** The lines after the first, except rows, which are strings. */
type Control =
  | { readonly table: string }
  | { readonly end: string; readonly rows: number; readonly hash: string }
  /** Earlier versions wrote no counts. */
  | { readonly complete: true; readonly rows?: RowCounts }

/** The number of rows of each table, by its name. */
export type RowCounts = Readonly<Record<string, number>>

/** The file is not a backup, or is incomplete. */
export class BackupFileInvalid extends Error {
  override readonly name = "BackupFileInvalid"
}

/** The bytes of JSON that are read or written at a time. */
const chunkSize = 256 * 1024

/** Writes a file under a temporary name. Only its owner can read it. */
export class BackupWriter {
  readonly #path: string
  readonly #file: FileHandle
  readonly #gzip: Gzip = createGzip({ level: 4, chunkSize })
  readonly #written: Promise<void>
  #text = ""

  private constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
    this.#written = (async () => {
      for await (const chunk of this.#gzip) await file.appendFile(chunk as Buffer)
    })()
    // The next write or the end fails with the error. In between, nothing else handles it.
    this.#gzip.on("error", () => undefined)
    this.#written.catch((error: unknown) => this.#gzip.destroy(error as Error))
  }

  static async open(path: string): Promise<BackupWriter> {
    return new BackupWriter(path, await open(BackupWriter.partial(path), "wx", 0o600))
  }

  static partial(path: string): string {
    return `${path}.${process.pid}.partial`
  }

  begin(given: Omit<Header, "format" | "hash" | "svc">): Promise<void> {
    const header: Header = { svc: "backup", format, ...given }
    return this.#write({ ...header, hash: hashOf({ ...header }) })
  }

  beginTable(table: string): Promise<void> {
    return this.#write({ table } satisfies Control)
  }

  rows(lines: ReadonlyArray<string>): Promise<void> {
    for (const line of lines) this.#text += `${JSON.stringify(line)}\n`
    return this.#flush()
  }

  endTable(table: string, { hash, rows }: Digest): Promise<void> {
    return this.#write({ end: table, rows, hash } satisfies Control)
  }

  /** Ends the file. It is then on the disk. */
  async end(rows: RowCounts): Promise<void> {
    await this.#write({ complete: true, rows } satisfies Control)
    await this.#flush()
    this.#gzip.end()
    await this.#written
    await this.#file.sync()
  }

  /** Renames the ended file to its final name. */
  async keep(): Promise<void> {
    await rename(BackupWriter.partial(this.#path), this.#path)
  }

  /** Removes the file, unless it was kept. */
  async close(): Promise<void> {
    this.#gzip.destroy()
    await this.#file.close()
    await rm(BackupWriter.partial(this.#path), { force: true })
  }

  #write(line: unknown): Promise<void> {
    this.#text += `${JSON.stringify(line)}\n`
    return this.#text.length >= chunkSize ? this.#flush() : Promise.resolve()
  }

  async #flush(): Promise<void> {
    const text = this.#text
    this.#text = ""
    if (!this.#gzip.write(text)) await Promise.race([once(this.#gzip, "drain"), this.#written])
  }
}

const newline = 0x0a

/** The lines of a compressed file. */
async function* linesOf(path: string, noteBytes: (read: number) => void): AsyncGenerator<string> {
  const file = createReadStream(path)
  const gunzip = createGunzip({ chunkSize })
  file.once("error", (error) => gunzip.destroy(error))
  let parts: Array<Buffer> = []
  try {
    for await (const chunk of file.pipe(gunzip) as AsyncIterable<Buffer>) {
      noteBytes(file.bytesRead)
      let from = 0
      for (let to = chunk.indexOf(newline); to !== -1; to = chunk.indexOf(newline, from)) {
        parts.push(chunk.subarray(from, to))
        yield Buffer.concat(parts).toString("utf8")
        parts = []
        from = to + 1
      }
      if (from < chunk.length) parts.push(chunk.subarray(from))
    }
  } finally {
    file.destroy()
  }
}

/** An entry of a file: rows of a table, or its end with the number and hash of its rows when they were written. */
export type Entry =
  | { readonly table: string; readonly lines: ReadonlyArray<string> }
  | { readonly table: string; readonly rows: number; readonly hash: string }

/** A file that is being read from its beginning. */
export interface OpenBackup {
  readonly header: Header
  readonly entries: AsyncGenerator<Entry>
}

const damaged = (path: string) => new BackupFileInvalid(`${path} is damaged, or was cut off`)

/** The rows of a table differ from those that were written. */
export const tableChanged = (path: string, table: string) =>
  new BackupFileInvalid(`${path} is damaged: table ${table} is not as it was backed up`)

/** The number of characters of the rows in a batch. */
const batchSize = 4_000_000

async function* entriesOf(path: string, lines: AsyncGenerator<string>): AsyncGenerator<Entry> {
  /** The table that has begun but not ended. */
  let table: string | null = null
  const counts = new Map<string, number>()
  let batch: Array<string> = []
  let size = 0
  let isComplete = false
  for await (const text of lines) {
    const value = JSON.parse(text) as Control | string | null
    if (isComplete || value === null || (typeof value !== "string" && typeof value !== "object")) {
      throw damaged(path)
    }
    if (typeof value === "string") {
      if (table === null) throw damaged(path)
      batch.push(value)
      size += value.length
      if (size < batchSize) continue
    }
    if (table !== null && batch.length > 0) {
      yield { table, lines: batch }
      batch = []
      size = 0
    }
    if (typeof value === "string") continue
    // Without the line at its end, the rows of a table are not verified.
    if (table !== ("end" in value ? value.end : null)) throw damaged(path)
    if ("table" in value) table = value.table
    else if ("end" in value) {
      yield { table: value.end, rows: value.rows, hash: value.hash }
      counts.set(value.end, value.rows)
      table = null
    } else {
      for (const [name, rows] of Object.entries(value.rows ?? {})) {
        if (rows !== (counts.get(name) ?? 0)) throw tableChanged(path, name)
      }
      isComplete = true
    }
  }
  if (!isComplete) throw damaged(path)
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null
const areTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

/** Whether the fields of a first line have the right types, and match their hash. */
const isHeader = (fields: Fields): boolean =>
  areTyped(fields) && (fields["hash"] === undefined || fields["hash"] === hashOf(fields))

const areTyped = ({ at, id, schema, sequences, tables }: Fields): boolean =>
  typeof id === "string" &&
  typeof at === "string" &&
  Number.isInteger(schema) &&
  Array.isArray(tables) &&
  tables.every(
    (table: unknown) =>
      isFields(table) &&
      typeof table["name"] === "string" &&
      typeof table["bytes"] === "number" &&
      areTexts(table["columns"]) &&
      areTexts(table["written"])
  ) &&
  Array.isArray(sequences) &&
  sequences.every(
    (sequence: unknown) =>
      isFields(sequence) &&
      typeof sequence["name"] === "string" &&
      typeof sequence["value"] === "string" &&
      typeof sequence["called"] === "boolean"
  )

/** Whether a file is compressed with gzip, even if incomplete (RFC 1952, 2.3.1). */
const isGzip = async (path: string): Promise<boolean> => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b
  } finally {
    await file.close()
  }
}

/** Opens a file. Rejects with {@link BackupFileInvalid}, immediately or while it is read, and with system errors. */
export const openBackup = async (
  path: string,
  report: (read: number, size: number) => void
): Promise<OpenBackup> => {
  const { size } = await stat(path)
  const notOurs = new BackupFileInvalid(`${path} is no file of svc backup`)
  if (!(await isGzip(path))) throw notOurs
  const lines = linesOf(path, (read) => report(read, size))
  const first = await lines.next().catch((error: unknown) => {
    throw isZlibError(error) ? damaged(path) : error
  })
  const header = parse(first.value)
  if (!isFields(header) || header["svc"] !== "backup") throw notOurs
  if (header["format"] !== format)
    throw new BackupFileInvalid(`${path} was made by a newer version: use that version`)
  if (!isHeader(header)) throw damaged(path)
  const entries = (async function* () {
    try {
      yield* entriesOf(path, lines)
    } catch (error) {
      throw isZlibError(error) || error instanceof SyntaxError ? damaged(path) : error
    }
  })()
  return { header: header as unknown as Header, entries }
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && "code" in error && String(error.code).startsWith("Z_")

const parse = (text: unknown): unknown => {
  try {
    return typeof text === "string" ? JSON.parse(text) : null
  } catch {
    return null
  }
}
