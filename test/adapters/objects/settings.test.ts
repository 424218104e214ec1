/**
 * Tests the formats of `SVC_OBJECT_STORAGE`.
 *
 * @module
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { ConfigProvider, Effect, Exit, Redacted } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { readObjectStorage } from "../../../runtimes/config/objectStorage.ts"

const credentials = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "hidden" }

const read = (value: string | null, env: Readonly<Record<string, string>> = credentials) =>
  readObjectStorage(value).pipe(
    Effect.provide(NodeFileSystem.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.runPromiseExit
  )

const root = mkdtempSync(join(tmpdir(), "svc-setting-"))
writeFileSync(join(root, "file"), "")

it("names the database, a directory or a bucket", async () => {
  const valueOf = async (...given: Parameters<typeof read>) => {
    const exit = await read(...given)
    return Exit.isSuccess(exit) ? exit.value : exit.cause
  }
  expect(await valueOf(null)).toEqual({ _tag: "Database" })
  expect(await valueOf("database")).toEqual({ _tag: "Database" })
  const directory = join(root, "a", "b")
  expect(await valueOf(`file:${directory}`)).toEqual({ _tag: "Files", directory })
  expect(await valueOf(`file://${directory}`)).toEqual({ _tag: "Files", directory })
  const amazon = await valueOf("s3://content/a/b/?region=eu-central-1")
  expect(amazon).toMatchObject({
    bucket: "content",
    prefix: "a/b",
    region: "eu-central-1",
    endpoint: null,
    style: "Host",
    accessKeyId: "AKIDEXAMPLE",
    sessionToken: null
  })
  expect(JSON.stringify(amazon)).not.toContain("hidden")
  expect("secretAccessKey" in amazon && Redacted.value(amazon.secretAccessKey)).toBe("hidden")
  const own = "s3://content?endpoint=http://127.0.0.1:9000"
  expect(await valueOf(own)).toMatchObject({ prefix: "", region: "us-east-1", style: "Path" })
  expect(await valueOf(`${own}&style=host`, { ...credentials, AWS_REGION: "x-1" })).toMatchObject({
    region: "x-1",
    style: "Host"
  })
})

it.each([
  ["files", "expected database"],
  ["file:", "database, file:"],
  [`file:${join(root, "file")}`, "can be made and written"],
  ["s3://", "bucket"],
  ["s3://Bad_Bucket?region=a", "bucket"],
  ["s3://content", "a region"],
  ["s3://content/a%20b?region=a", "a prefix"],
  ["s3://key:secret@content?region=a", "AWS_ACCESS_KEY_ID"],
  ["s3://content?region=a&acl=public", "no parameters but"],
  ["s3://content?endpoint=ftp://a", "an endpoint"],
  ["s3://content?endpoint=https://a/path", "an endpoint"],
  ["s3://content?region=a&style=other", "style="]
])("refuses %s", async (value, expected) => {
  const exit = await read(value)
  expect(Exit.isFailure(exit) && String(exit.cause)).toMatch(expected.replace("expected ", ""))
})

it("refuses a bucket without credentials", async () => {
  expect(String(await read("s3://content?region=a", {}))).toContain("AWS_ACCESS_KEY_ID")
})
