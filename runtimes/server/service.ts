/**
 * Composes the service over any storage: the core, and the adapters that all runtimes share. Runtimes add the servers.
 *
 * @module
 */
import { Layer, type Redacted } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as KeyMaker from "../../adapters/crypto/KeyMaker.ts"
import * as OneTimeCodes from "../../adapters/crypto/OneTimeCodes.ts"
import * as PasswordHasher from "../../adapters/crypto/PasswordHasher.ts"
import * as PasswordStrength from "../../adapters/crypto/PasswordStrength.ts"
import * as SignatureVerifier from "../../adapters/crypto/SignatureVerifier.ts"
import * as PublicSuffixes from "../../adapters/dns/PublicSuffixes.ts"
import * as CsvReader from "../../adapters/csv/CsvReader.ts"
import * as HtmlRewriter from "../../adapters/html/HtmlRewriter.ts"
import * as OpenIdClient from "../../adapters/webhooks/OpenIdClient.ts"
import * as PasskeyVerifier from "../../adapters/identity/PasskeyVerifier.ts"
import * as MessageComposer from "../../adapters/mail/MessageComposer.ts"
import * as MailReportReader from "../../adapters/mail/reports/MailReportReader.ts"
import * as SandboxTransport from "../../adapters/sandbox/SandboxTransport.ts"
import * as RelayProbe from "../../adapters/smtp/smarthost/RelayProbe.ts"
import * as TemplateEngine from "../../adapters/templates/TemplateEngine.ts"
import * as Threads from "../../adapters/threads/Threads.ts"
import * as AddressGuard from "../../adapters/webhooks/AddressGuard.ts"
import * as ImageFetcher from "../../adapters/webhooks/ImageFetcher.ts"
import * as SnsClient from "../../adapters/webhooks/SnsClient.ts"
import * as StsPolicyClient from "../../adapters/webhooks/StsPolicyClient.ts"
import * as WebhookClient from "../../adapters/webhooks/WebhookClient.ts"
import { CallerAuthentication } from "../../core/users/CallerAuthentication.ts"
import * as Core from "../../core/app/Core.ts"
import * as UserServices from "../../core/app/UserServices.ts"
import type { AddressGuard as AddressGuardPort } from "../../core/ports/AddressGuard.ts"
import type { Dns } from "../../core/ports/Dns.ts"
import type { InstallationStore } from "../../core/ports/InstallationStore.ts"
import { relayConditionsLayer } from "../../core/sending/relays/RelayConditions.ts"
import * as DomainSecurity from "../../core/sending/security/DomainSecurity.ts"
import * as LaneLeases from "../../core/sending/shaping/LaneLeases.ts"
import { TlsCounts } from "../../core/sending/aggregates/TlsCounts.ts"
import { MailReports } from "../../core/sending/aggregates/MailReports.ts"
import type { SecureDns } from "../../core/ports/SecureDns.ts"
import type { MailTransport } from "../../core/ports/MailTransport.ts"
import type { SecretBox } from "../../core/ports/SecretBox.ts"
import { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { instrumentedPorts, instrumentedThreads } from "../telemetry/ports.ts"

/** The parts of a service that differ between runtimes. */
export interface ServiceOptions<E> {
  /** Replaces the management token that the first start generates. */
  readonly adminToken: Redacted.Redacted | null
  readonly publicEndpoint: PublicEndpoint["Service"]
  readonly secrets: Layer.Layer<SecretBox, E, InstallationStore>
  readonly dns: Layer.Layer<Dns>
  /** Look-ups with DNSSEC, for DANE. */
  readonly secureDns: Layer.Layer<SecureDns>
  /** Whether connections are counted for reports to domains that request them. */
  readonly tlsReports?: boolean
  /** Sends the mail of live accounts. Mail of sandbox accounts is never sent. */
  readonly transport: Layer.Layer<MailTransport, never, PublicEndpoint | Dns | AddressGuardPort>
  /** Whether webhooks may go to private addresses and over http. */
  readonly webhookAllowPrivate: boolean
  /** Ports that replace the default ones. */
  readonly replaced?: Layer.Layer<never>
}

/**
 * The threads for password hashes, separate from those for tenants' data. Two hashes run at a time, because one thread is kept
 * for another owner. Their memory is known, so it is not limited, and memory used by the rest of the process never ends one. A
 * hash takes a quarter of a second of a processor, so calls have priority.
 */
const passwordThreads = { threads: 3, grownBytes: Infinity, keptBytes: Infinity, niceness: 10 }

/** All services, over the storage ports. */
export const serviceLayer = <E>({
  adminToken,
  publicEndpoint,
  dns,
  replaced = Layer.empty,
  secrets,
  secureDns,
  tlsReports = false,
  transport,
  webhookAllowPrivate
}: ServiceOptions<E>) =>
  Layer.mergeAll(
    UserServices.layer,
    CallerAuthentication.layer(adminToken),
    MailReports.layer,
    TlsCounts.layer
  ).pipe(
    Layer.provideMerge(Core.layer),
    Layer.provide(instrumentedPorts),
    Layer.provideMerge(Layer.mergeAll(SandboxTransport.layer, MessageComposer.layer, transport, replaced)),
    Layer.provide(relayConditionsLayer),
    Layer.provide(
      DomainSecurity.layer.pipe(
        Layer.provide([
          tlsReports ? TlsCounts.observer.pipe(Layer.provide(TlsCounts.layer)) : Layer.empty,
          secureDns,
          StsPolicyClient.layer({ allowPrivate: webhookAllowPrivate }).pipe(Layer.provide(dns))
        ])
      )
    ),
    Layer.provide(LaneLeases.layer),
    Layer.provideMerge(RelayProbe.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        AddressGuard.layer({ allowPrivate: webhookAllowPrivate }).pipe(Layer.provide(dns)),
        Crypto.layer,
        CsvReader.layer,
        HtmlRewriter.layer,
        ImageFetcher.layer({ allowPrivate: webhookAllowPrivate }).pipe(Layer.provide(dns)),
        KeyMaker.layer,
        MailReportReader.layer,
        OneTimeCodes.layer,
        OpenIdClient.layer({ allowPrivate: webhookAllowPrivate }).pipe(Layer.provide(dns)),
        PasskeyVerifier.layer,
        PasswordHasher.layer.pipe(Layer.provide(Threads.layer(passwordThreads))),
        PasswordStrength.layer,
        PublicSuffixes.layer,
        SignatureVerifier.layer,
        SnsClient.layer({ allowPrivate: webhookAllowPrivate }).pipe(Layer.provide(dns)),
        TemplateEngine.layer,
        WebhookClient.layer({ allowPrivate: webhookAllowPrivate }).pipe(Layer.provide(dns)),
        Layer.succeed(PublicEndpoint, publicEndpoint),
        dns,
        secrets,
        replaced
      )
    ),
    Layer.provideMerge(instrumentedThreads.pipe(Layer.provide(Threads.layer())))
  )
