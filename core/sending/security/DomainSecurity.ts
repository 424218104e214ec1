/**
 * Decides how connections to the mail servers of a domain are encrypted. It implements {@link TransportSecurity} for
 * transports that send to recipients' servers.
 *
 * @module
 */
import { Effect, Layer, Metric } from "effect"
import type { HostTerms, TlsSession } from "../../model/TlsTerms.ts"
import {
  type DomainTerms,
  type TermsRequest,
  termsOfLevel,
  TlsObserver,
  TransportSecurity
} from "../../kernel/TransportSecurity.ts"
import { DaneLookup } from "./DaneLookup.ts"
import { StsPolicies } from "./StsPolicies.ts"
import { namesServer } from "./StsRules.ts"
import { stsTerms } from "./TermsRules.ts"

const sessions = Metric.counter("svc_tls_sessions_total", {
  description: "Connections to recipients' mail servers, by the policy they fell under and their result",
  incremental: true
})

const make = Effect.gen(function* () {
  const dane = yield* DaneLookup
  const sts = yield* StsPolicies

  const context = yield* Effect.context()
  const note = yield* TlsObserver
  const observe = (session: TlsSession): void => {
    const { policy, result } = session
    Metric.withAttributes(sessions, { kind: policy, outcome: result }).updateUnsafe(1, context)
    note(session)
  }

  const refused = (domain: string, host: string, terms: HostTerms): HostTerms => {
    if (terms.refusal !== null)
      observe({
        domain,
        host,
        source: "",
        policy: terms.policy,
        result: terms.refusal === "dane_unavailable" ? "dnssec-invalid" : "validation-failure"
      })
    return terms
  }

  const terms = Effect.fnUntraced(function* ({
    accountId,
    domain,
    hosts,
    level
  }: TermsRequest): Effect.fn.Return<DomainTerms> {
    const byDane = yield* dane.of(domain, hosts)
    const others = hosts.filter((host) => !byDane.has(host))
    const policy = others.length === 0 ? null : yield* sts.of(domain, accountId)
    if (policy?._tag === "Busy") return policy
    if (policy?.failure != null)
      observe({ domain, host: "", source: "", policy: "sts", result: policy.failure })
    const rules = policy?.rules ?? null
    const found = new Map(
      hosts.map((host) => {
        const byPolicy =
          byDane.get(host) ?? (rules === null ? termsOfLevel(level) : stsTerms(rules, host, level))
        return [host, refused(domain, host, byPolicy)] as const
      })
    )
    if (rules?.mode === "testing")
      for (const host of others)
        if (!namesServer(rules, host))
          observe({ domain, host, source: "", policy: "sts", result: "validation-failure" })
    return { _tag: "Hosts", of: (host) => found.get(host) ?? termsOfLevel(level) }
  })

  return { terms, observe }
})

/** Provides transports with the terms of connections. */
export const layer = Layer.effect(TransportSecurity, make).pipe(
  Layer.provide([DaneLookup.layer, StsPolicies.layer])
)
