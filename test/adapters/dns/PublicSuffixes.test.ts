/**
 * Tests of organizational domains, determined by the public suffix list.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ListedSuffixes from "../../../adapters/dns/PublicSuffixes.ts"
import { PublicSuffixes } from "../../../core/kernel/PublicSuffixes.ts"

const found = (...names: ReadonlyArray<string>) =>
  Effect.map(PublicSuffixes, ({ organizationalDomain }) => names.map(organizationalDomain))

it.effect("organizational domains are those below a public suffix, of a company's too", () =>
  Effect.gen(function* () {
    const names = [
      "bounces.news.example.co.uk",
      "bounces.one.blogspot.com",
      "a.b.test",
      "blogspot.com",
      "com"
    ]
    expect(yield* Effect.provide(found(...names), ListedSuffixes.layer)).toEqual([
      "example.co.uk",
      "one.blogspot.com",
      "b.test",
      "blogspot.com",
      "com"
    ])
  })
)

it.effect("without the list, every top-level domain is a public suffix", () =>
  Effect.map(found("bounces.news.example.com", "com"), (domains) =>
    expect(domains).toEqual(["example.com", "com"])
  )
)
