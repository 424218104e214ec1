/**
 * Tests that the documented code for verifying webhooks accepts what the reference library of Standard Webhooks signs, and
 * nothing else. Languages missing on the machine are skipped, with their name.
 *
 * @module
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { afterAll, describe, expect, it } from "vitest"
import { blockWith } from "./blocks.ts"

const folder = mkdtempSync(join(tmpdir(), "svc-webhook-code-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A request to verify, in the form in which the programs read it. */
interface Attempt {
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How a language runs its code. Each program reads an attempt from a file and prints `yes` or `no`. */
interface Language {
  readonly name: string
  readonly fence: string
  readonly command: string
  readonly args: (file: string) => ReadonlyArray<string>
  readonly file: string
  readonly program: (code: string) => string
}

const goImports = [
  "crypto/hmac",
  "crypto/sha256",
  "crypto/subtle",
  "encoding/base64",
  "encoding/json",
  "fmt",
  "math"
]
const goImportsToo = ["net/http", "os", "strconv", "strings", "time"]

const languages: ReadonlyArray<Language> = [
  {
    name: "Node",
    fence: "js",
    command: process.execPath,
    args: (file) => [file],
    file: "verify.mjs",
    program: (code) =>
      `${code}\nimport { readFileSync } from "node:fs"\n` +
      `const { secret, headers, body } = JSON.parse(readFileSync(process.argv[2], "utf8"))\n` +
      `process.stdout.write(verify(secret, headers, body)?.type === "email.bounced" ? "yes" : "no")\n`
  },
  {
    name: "Python",
    fence: "python",
    command: "python3",
    args: (file) => [file],
    file: "verify.py",
    program: (code) =>
      `${code}\nimport sys\nattempt = json.load(open(sys.argv[1], encoding="utf-8"))\n` +
      `found = verify(attempt["secret"], attempt["headers"], attempt["body"].encode())\n` +
      `print("yes" if found and found["type"] == "email.bounced" else "no", end="")\n`
  },
  {
    name: "PHP",
    fence: "php",
    command: "php",
    args: (file) => [file],
    file: "verify.php",
    program: (code) =>
      `<?php\n${code}\n$a = json_decode(file_get_contents($argv[1]), true);\n` +
      `$found = verify($a['secret'], $a['headers'], $a['body']);\n` +
      `echo ($found['type'] ?? '') === 'email.bounced' ? 'yes' : 'no';\n`
  },
  {
    name: "Ruby",
    fence: "ruby",
    command: "ruby",
    args: (file) => ["-rjson", "-ropenssl", file],
    file: "verify.rb",
    program: (code) =>
      `${code}\na = JSON.parse(File.read(ARGV[0], encoding: "utf-8"))\n` +
      `found = verify(a["secret"], a["headers"], a["body"])\n` +
      `print found && found["type"] == "email.bounced" ? "yes" : "no"\n`
  },
  {
    name: "Go",
    fence: "go",
    command: "go",
    args: (file) => ["run", file],
    file: "verify.go",
    program: (code) =>
      `package main\nimport (\n${[...goImports, ...goImportsToo].map((name) => `"${name}"`).join("\n")}\n)\n${code}\n` +
      `func main() {\nvar a struct{ Secret, Body string; Headers map[string]string }\n` +
      `raw, _ := os.ReadFile(os.Args[1])\njson.Unmarshal(raw, &a)\nheader := http.Header{}\n` +
      `for name, value := range a.Headers { header.Set(name, value) }\n` +
      `if Verify(a.Secret, header, []byte(a.Body)) { fmt.Print("yes") } else { fmt.Print("no") }\n}\n`
  }
]

const secret = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`
const other = `whsec_${Buffer.from("another secret of 32 bytes, yes.").toString("base64")}`
const body = JSON.stringify({
  id: "n1",
  type: "email.bounced",
  data: { email: "ada@example.org", reason: "gänzlich" }
})

const signed = (by: string, at = Date.now()): Attempt => {
  const seconds = Math.floor(at / 1000)
  return {
    secret,
    body,
    headers: {
      "webhook-id": "n1",
      "webhook-timestamp": String(seconds),
      "webhook-signature": new Webhook(by).sign("n1", new Date(seconds * 1000), body)
    }
  }
}

const good = signed(secret)
const change = (headers: Readonly<Record<string, string>>): Attempt => ({
  ...good,
  headers: { ...good.headers, ...headers }
})
const signature = good.headers["webhook-signature"]!

const attempts: ReadonlyArray<readonly [what: string, attempt: Attempt, verdict: "yes" | "no"]> = [
  ["a request as it is sent", good, "yes"],
  [
    "one signed by two secrets",
    change({ "webhook-signature": `${signed(other).headers["webhook-signature"]} ${signature}` }),
    "yes"
  ],
  ["another secret", signed(other), "no"],
  ["another body", { ...good, body: body.replace("bounced", "opened") }, "no"],
  ["another id", change({ "webhook-id": "n2" }), "no"],
  ["a time ten minutes ago", signed(secret, Date.now() - 600_000), "no"],
  ["a time ten minutes ahead", signed(secret, Date.now() + 600_000), "no"],
  ["a time that is none", change({ "webhook-timestamp": "soon" }), "no"],
  ["another version", change({ "webhook-signature": signature.replace("v1,", "v2,") }), "no"],
  ["a signature cut short", change({ "webhook-signature": signature.slice(0, -6) }), "no"],
  ["an empty signature", change({ "webhook-signature": "v1," }), "no"],
  ["no signature", change({ "webhook-signature": "" }), "no"]
]

const isThere = ({ command }: Language): boolean =>
  spawnSync(command, [command === "go" ? "version" : "--version"]).status === 0

describe.each(languages)("the code for $name", (language) => {
  const there = isThere(language)
  const reason = there ? "" : `: skipped, there is no ${language.command} on this machine`
  it.skipIf(!there)(`accepts what is signed, and nothing else${reason}`, () => {
    const { args, command, fence, file, name, program } = language
    const path = join(folder, file)
    writeFileSync(path, program(blockWith("webhooks", fence, "erify(")))
    const verdicts = attempts.map(([what, attempt], index) => {
      const input = join(folder, `${name}-${index}.json`)
      writeFileSync(input, JSON.stringify(attempt))
      return [what, execFileSync(command, [...args(path), input], { encoding: "utf8" })]
    })
    expect(verdicts).toEqual(attempts.map(([what, , verdict]) => [what, verdict]))
  })
})
