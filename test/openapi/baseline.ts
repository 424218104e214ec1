/**
 * The contract as it was last recorded, and what was changed in it on purpose.
 *
 * @module
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { makeOpenApi } from "../../adapters/http/schema/openapi/OpenApi.ts"
import type { OpenApiDocument } from "../../adapters/http/schema/openapi/OpenApiModel.ts"
import { breakingChanges, skeletonOf } from "./changes.ts"

/** Where the baseline is kept. */
export const baselineFile = join(import.meta.dirname, "public-v1.baseline.json")

/** A breaking change that was meant. */
export interface RecordedChange {
  /** The change's line, as the comparison writes it. */
  readonly change: string
  readonly reason: string
}

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"))

/** The contract as it was last recorded. */
export const readBaseline = async (): Promise<OpenApiDocument> =>
  (await readJson(baselineFile)) as OpenApiDocument

/** Every breaking change that was meant, of all times. */
export const readRecord = async (): Promise<ReadonlyArray<RecordedChange>> =>
  (await readJson(join(import.meta.dirname, "public-v1.changes.json"))) as ReadonlyArray<RecordedChange>

/** The contract as it is now, without what is said to people. */
export const currentContract = (): OpenApiDocument => skeletonOf(makeOpenApi("https://mail.example.org"))

/** Breaking changes that are not recorded. */
export const unrecordedChanges = (
  baseline: OpenApiDocument,
  current: OpenApiDocument,
  record: ReadonlyArray<RecordedChange>
): ReadonlyArray<string> => {
  const meant = new Set(record.map(({ change }) => change))
  return breakingChanges(baseline, current).filter((change) => !meant.has(change))
}
