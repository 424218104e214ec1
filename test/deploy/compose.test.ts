/**
 * Tests the compose files: they follow the Compose Specification, and refer only to what exists.
 *
 * @module
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Ajv } from "ajv"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { fileOf, knownVariables, root, variablesIn } from "./kit.ts"

interface Service {
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly healthcheck?: object
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes?: Readonly<Record<string, unknown>>
}

const files = ["deploy/compose.yaml", "deploy/compose.bun.yaml"]

const compose = (path: string): Compose => parse(fileOf(path)) as Compose

const validate = () => {
  // The schema's `$schema` is not the URL of draft 7, in which it is written.
  const { $schema: _, ...schema } = JSON.parse(fileOf("test/fixtures/compose/compose-spec.json")) as {
    readonly $schema: string
  }
  return new Ajv({ strict: false, validateFormats: false }).compile(schema)
}

describe.each(files)("%s", (path) => {
  it("is valid by the specification's schema", () => {
    const check = validate()
    check(parse(fileOf(path)))
    expect(check.errors ?? []).toEqual([])
    expect(check({ services: { svc: { images: "svc" } } })).toBe(false)
  })

  it("names files that exist, and variables that the service reads", () => {
    for (const { build, volumes = [] } of Object.values(compose(path).services)) {
      if (build !== undefined)
        expect(existsSync(join(root, "deploy", build.context, build.dockerfile))).toBe(true)
      for (const volume of volumes) {
        const [source = ""] = volume.split(":")
        if (source.startsWith("."))
          expect([source, existsSync(join(root, "deploy", source))]).toEqual([source, true])
        else expect(Object.keys(compose(path).volumes ?? {})).toContain(source)
      }
    }
    for (const name of variablesIn(fileOf(path))) expect(knownVariables).toContain(name)
  })
})

describe("deploy/compose.yaml", () => {
  const { services } = compose("deploy/compose.yaml")

  it("starts the service once PostgreSQL is ready, and publishes the ports of the image", () => {
    expect(services["svc"]!.depends_on!["postgres"]!.condition).toBe("service_healthy")
    expect(services["postgres"]!.healthcheck).toBeDefined()
    const image = fileOf("deploy/docker/Dockerfile")
    const listened = [
      /SVC_PORT=(\d+)/.exec(image)![1]!,
      .../SVC_SMTP_PORTS=([\d,]+)/.exec(image)![1]!.split(","),
      services["svc"]!.environment!["SVC_INBOUND_PORT"]!
    ]
    const published = services["svc"]!.ports!.map((port) => port.split(":").at(-1)!)
    expect(published.toSorted()).toEqual(listened.toSorted())
  })

  it("has no default for a password, and gives Prometheus no more than a token for metrics", () => {
    const text = fileOf("deploy/compose.yaml")
    const passwords = [...text.matchAll(/\$\{([A-Z_]*PASSWORD)([^}]*)\}/g)]
    expect(new Set(passwords.map(([, name]) => name))).toEqual(
      new Set(["POSTGRES_PASSWORD", "GRAFANA_PASSWORD"])
    )
    for (const [whole, , rest] of passwords)
      expect([whole, rest]).toEqual([whole, expect.stringMatching(/^:\?/)])
    expect(text).not.toContain("ADMIN_TOKEN")
    expect(fileOf("deploy/prometheus/prometheus.yml")).toContain("/run/secrets/svc_metrics_token")
  })

  it("uses variables that env.example has and the service reads", () => {
    const example = fileOf("deploy/env.example")
    const asked = [...fileOf("deploy/compose.yaml").matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!)
    expect(asked.length).toBeGreaterThan(1)
    for (const name of asked) expect(example).toMatch(new RegExp(`^#?${name}=`, "m"))
    for (const name of variablesIn(example)) expect(knownVariables).toContain(name)
  })
})
