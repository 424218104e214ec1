/**
 * Defines the management API (docs/contributing/management-api.md), which has every endpoint under `{base_url}/manage/v1`.
 * Each resource has a file.
 *
 * @module
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { AccountsGroup } from "./management/Accounts.ts"
import { ApiKeysGroup } from "./management/ApiKeys.ts"
import { AuditGroup } from "./people/Audit.ts"
import { ArchiveGroup } from "./management/Archive.ts"
import { CampaignsGroup } from "./audience/Campaigns.ts"
import { CompaniesGroup } from "./management/Companies.ts"
import { DomainsGroup, MailReportsGroup } from "./management/Domains.ts"
import { EmailsGroup } from "./management/Emails.ts"
import { JobsGroup } from "./audience/Jobs.ts"
import { ViewsGroup } from "./audience/Views.ts"
import { ExplainGroup } from "./audience/Explain.ts"
import { EmailContentGroup } from "./mail/Content.ts"
import { StandingGroup } from "./mail/Standing.ts"
import { FlowsGroup } from "./management/Flows.ts"
import { ImagesGroup } from "./mail/Images.ts"
import { ImportsGroup } from "./management/Imports.ts"
import { LogsGroup } from "./management/Logs.ts"
import { ManagedEventsGroup } from "./management/Events.ts"
import { ManagedSegmentsGroup } from "./management/Segments.ts"
import { ManagedStoresGroup } from "./management/Stores.ts"
import { ManagedTopicsGroup } from "./management/Topics.ts"
import { ManagedContactsGroup } from "./audience/Contacts.ts"
import { PeopleGroup } from "./management/People.ts"
import { RequestsGroup } from "./live/Requests.ts"
import { SearchGroup } from "./live/Search.ts"
import { StreamGroup } from "./live/Stream.ts"
import { StatsGroup } from "./management/Stats.ts"
import { SuppressionsGroup } from "./management/Suppressions.ts"
import { TemplatesGroup } from "./management/Templates.ts"
import { CompanyTokensGroup, SecretsGroup, TokensGroup } from "./management/Tokens.ts"
import { MembersGroup, UsersGroup } from "./people/Users.ts"
import { DeviceGroup, PersonalTokensGroup } from "./people/PersonalTokens.ts"
import { CompanyProvidersGroup, IdentityProvidersGroup, ProviderSignInGroup } from "./people/Providers.ts"
import { OwnAccountGroup, SessionGroup } from "./people/Sessions.ts"
import { InstallationGroup } from "./operation/Installation.ts"
import { CompanyRelaysGroup, RelaysGroup } from "./operation/Relays.ts"
import { ShapingGroup } from "./operation/Shaping.ts"
import { PoolsGroup, SourcesGroup } from "./operation/Sources.ts"
import { WebhooksGroup } from "./management/Webhooks.ts"
import type { Requiring } from "./Requirements.ts"

/** The groups, in the order of the reference. A group whose endpoints declare no right does not compile. */
const groups = [
  CompaniesGroup,
  AccountsGroup,
  AuditGroup,
  StatsGroup,
  RequestsGroup,
  SearchGroup,
  StreamGroup,
  ApiKeysGroup,
  DomainsGroup,
  MailReportsGroup,
  SuppressionsGroup,
  EmailsGroup,
  EmailContentGroup,
  StandingGroup,
  PeopleGroup,
  ManagedContactsGroup,
  ExplainGroup,
  JobsGroup,
  ViewsGroup,
  ImportsGroup,
  ManagedEventsGroup,
  ArchiveGroup,
  ManagedSegmentsGroup,
  ManagedTopicsGroup,
  ManagedStoresGroup,
  TemplatesGroup,
  ImagesGroup,
  FlowsGroup,
  CampaignsGroup,
  WebhooksGroup,
  LogsGroup,
  TokensGroup,
  CompanyTokensGroup,
  SecretsGroup,
  InstallationGroup,
  ShapingGroup,
  SourcesGroup,
  PoolsGroup,
  RelaysGroup,
  CompanyRelaysGroup,
  SessionGroup,
  OwnAccountGroup,
  PersonalTokensGroup,
  DeviceGroup,
  IdentityProvidersGroup,
  CompanyProvidersGroup,
  ProviderSignInGroup,
  MembersGroup,
  UsersGroup
] as const satisfies ReadonlyArray<Requiring>

/** The definition of the whole management API. */
export class ManagementApi extends HttpApi.make("management")
  .add(...groups)
  .prefix("/manage/v1")
  .annotate(OpenApi.Title, "svc management")
  .annotate(OpenApi.Version, "v1") {}
