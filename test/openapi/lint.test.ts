/**
 * Tests the published document with Redocly's recommended rules and Spectral's OpenAPI rules.
 *
 * @module
 */
import { createConfig, lintFromString } from "@redocly/openapi-core"
import spectralCore from "@stoplight/spectral-core"
import spectralRulesets from "@stoplight/spectral-rulesets"
import { beforeAll, describe, expect, it } from "vitest"
import { makeOpenApi } from "../../adapters/http/schema/openapi/OpenApi.ts"
import type { OpenApiDocument } from "../../adapters/http/schema/openapi/OpenApiModel.ts"

const byRedocly = async (document: object): Promise<ReadonlyArray<string>> => {
  const config = await createConfig({ extends: ["recommended"] })
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: "public-v1.json",
    config
  })
  return problems.map(({ location, message, ruleId }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
}

const bySpectral = async (document: object): Promise<ReadonlyArray<string>> => {
  const spectral = new spectralCore.Spectral()
  spectral.setRuleset({
    extends: [[spectralRulesets.oas as never, "all"]],
    rules: {
      // The tags are in reading order, which is also that of the examples.
      "openapi-tags-alphabetical": "off",
      // Every installation has its own address.
      "contact-properties": "off"
    }
  })
  const problems = await spectral.run(JSON.stringify(document))
  return problems.map(({ code, message, path }) => `${code} ${path.join(".")}: ${message}`)
}

const linters = [
  ["Redocly", byRedocly],
  ["Spectral", bySpectral]
] as const

describe.each(linters)("%s", (_name, lint) => {
  let document: OpenApiDocument
  beforeAll(() => {
    document = makeOpenApi("https://mail.example.org")
  })

  it("finds nothing in the document", async () => {
    expect(await lint(document)).toEqual([])
  })

  it("finds an example that does not match its schema", async () => {
    const contact = document.components.schemas["Contact"]!
    const broken = {
      ...document,
      components: {
        ...document.components,
        schemas: {
          ...document.components.schemas,
          Contact: { ...contact, properties: { ...contact.properties, orderCount: { type: "string" } } }
        }
      }
    }
    expect(await lint(broken)).not.toEqual([])
  })
})
