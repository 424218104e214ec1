/**
 * Reads the recorded contract and its intended breaking changes.
 *
 * @module
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { makeOpenApi } from "../../adapters/http/schema/openapi/OpenApi.ts"
import type { OpenApiDocument } from "../../adapters/http/schema/openapi/OpenApiModel.ts"
import { breakingChanges, skeletonOf } from "./changes.ts"

/** The path of the baseline. */
export const baselineFile = join(import.meta.dirname, "public-v1.baseline.json")

/** An intended breaking change. */
export interface RecordedChange {
  /** The line by which the comparison reports the change. */
  readonly change: string
  readonly reason: string
}

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"))

/** The recorded contract. */
export const readBaseline = async (): Promise<OpenApiDocument> =>
  (await readJson(baselineFile)) as OpenApiDocument

/** Every intended breaking change since the first baseline. */
export const readRecord = async (): Promise<ReadonlyArray<RecordedChange>> =>
  (await readJson(join(import.meta.dirname, "public-v1.changes.json"))) as ReadonlyArray<RecordedChange>

/** The current contract without descriptions. */
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
