/**
 * Defines the management endpoints of contacts: consent history, timeline, links to hosted pages, erasure.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { consentBases, consentSources, consentStatuses } from "../../../../core/model/Consent.ts"
import { deviceKinds } from "../../../../core/model/Device.ts"
import { maxDevices } from "../../../../core/model/SeenDevice.ts"
import { envelope } from "../Envelope.ts"
import {
  anyOf,
  byTime,
  instant,
  listing,
  listOf,
  search,
  sortedListing,
  timeRange,
  trueOrFalse
} from "../Lists.ts"
import { country, id, language, textUpTo } from "../Fields.ts"
import { confirmedByBody, requiring } from "../Requirements.ts"
import { ContactShape } from "../public/Contacts.ts"
import { accountPath, resourcePath } from "./Path.ts"

const nullableText = Schema.NullOr(Schema.String)

const ConsentEntryShape = Schema.Struct({
  from: Schema.NullOr(Schema.Literals(consentStatuses)),
  to: Schema.Literals(consentStatuses),
  basis: Schema.NullOr(Schema.Literals(consentBases)),
  proof: Schema.NullOr(
    Schema.Struct({
      text: Schema.String,
      textVersion: nullableText,
      locale: nullableText,
      ipAddress: nullableText,
      givenAt: nullableText
    })
  ),
  source: Schema.String,
  at: Schema.String
}).annotate({ identifier: "ConsentEntry" })

const TimelineEntryShape = Schema.Struct({
  name: Schema.String,
  occurredAt: Schema.String,
  properties: Schema.Record(Schema.String, Schema.Unknown),
  source: Schema.String
}).annotate({ identifier: "TimelineEntry" })

const ContactLinksShape = Schema.Struct({
  confirm: Schema.String,
  preferences: Schema.String,
  unsubscribe: Schema.String
}).annotate({ identifier: "ContactLinks" })

const DeviceShape = Schema.Struct({
  kind: Schema.NullOr(Schema.Literals(deviceKinds)),
  program: Schema.NullOr(Schema.String).annotateKey({ description: "A browser or mail program" }),
  system: Schema.NullOr(Schema.String).annotateKey({ description: "The family of the operating system" }),
  opens: Schema.Int,
  clicks: Schema.Int,
  lastSeenAt: Schema.String
}).annotate({ identifier: "SeenDevice" })

const ContactTopicShape = Schema.Struct({
  key: Schema.String,
  name: Schema.String,
  on: Schema.Boolean,
  chosen: Schema.Boolean.annotateKey({
    description: "Whether the contact chose; otherwise it is the topic's default"
  })
}).annotate({ identifier: "ContactTopic" })

/** The routes of single contacts. */
export class PeopleGroup extends HttpApiGroup.make("people")
  .add(
    HttpApiEndpoint.get("list", "/accounts/:accountId/contacts", {
      params: accountPath,
      query: {
        ...sortedListing({ added: byTime, lastActivity: byTime }, "-added"),
        ...timeRange,
        segment: anyOf(id, "In this segment; at most 8"),
        consentStatus: anyOf(Schema.Literals(consentStatuses)),
        topic: anyOf(textUpTo(200), "Has the topic of this key, or has it not, with `!` before the key"),
        tag: anyOf(textUpTo(500)),
        storeId: anyOf(id),
        source: anyOf(Schema.Literals(consentSources), "Origin of the consent"),
        country: anyOf(country),
        language: anyOf(language),
        lastEmailedSince: instant("Was sent an email at this time or later"),
        lastOpenSince: instant("Opened an email at this time or later"),
        lastClickSince: instant("Clicked a link at this time or later"),
        suppressed: trueOrFalse("Whether the address is suppressed"),
        q: search(
          "In address, name, external id and phone: the beginning of a word, from 3 characters on any part of it"
        )
      },
      success: envelope(listOf(ContactShape))
    }).annotate(OpenApi.Summary, "List contacts"),
    HttpApiEndpoint.get("consentHistory", "/accounts/:accountId/contacts/:id/consent-history", {
      params: resourcePath,
      query: listing(byTime),
      success: envelope(listOf(ConsentEntryShape))
    }),
    HttpApiEndpoint.get("timeline", "/accounts/:accountId/contacts/:id/timeline", {
      params: resourcePath,
      query: listing(byTime),
      success: envelope(listOf(TimelineEntryShape))
    }),
    HttpApiEndpoint.get("devices", "/accounts/:accountId/contacts/:id/devices", {
      params: resourcePath,
      success: envelope(Schema.Struct({ items: Schema.Array(DeviceShape) }))
    })
      .annotate(OpenApi.Summary, "List the devices from which a contact opened and clicked")
      .annotate(
        OpenApi.Description,
        `The last seen first, at most ${maxDevices}, by the visits of the last 30 days that are not a machine's. Mail programs that load ` +
          "images by a proxy show none."
      ),
    HttpApiEndpoint.get("topics", "/accounts/:accountId/contacts/:id/topics", {
      params: resourcePath,
      success: envelope(Schema.Struct({ items: Schema.Array(ContactTopicShape) }))
    }).annotate(OpenApi.Summary, "List the topics, and whether a contact has them on or off"),
    HttpApiEndpoint.post("askToConfirm", "/accounts/:accountId/contacts/:id/double-opt-in", {
      params: resourcePath,
      success: envelope(
        Schema.Struct({ consentStatus: Schema.Literals(consentStatuses), confirm: Schema.String })
      )
    }).annotate(OpenApi.Summary, "Start double opt-in; returns the path of the confirmation page"),
    HttpApiEndpoint.post("sendConfirmation", "/accounts/:accountId/contacts/:id/double-opt-in/email", {
      params: resourcePath,
      success: envelope(
        Schema.Struct({
          consentStatus: Schema.Literals(consentStatuses),
          emailId: Schema.NullOr(Schema.String).annotateKey({
            description: "Null where the consent waits for no confirmation, and no email was sent"
          })
        })
      ).pipe(HttpApiSchema.status(202))
    }).annotate(
      OpenApi.Summary,
      "Start double opt-in and send the person an email that asks to confirm, in their language and the company's brand"
    ),
    HttpApiEndpoint.post("links", "/accounts/:accountId/contacts/:id/links", {
      params: resourcePath,
      success: envelope(ContactLinksShape)
    }).annotate(OpenApi.Summary, "Create links to a contact's hosted pages, as paths from the base URL"),
    HttpApiEndpoint.post("erase", "/accounts/:accountId/erasures", {
      params: accountPath,
      payload: Schema.Struct({ contactIds: Schema.Array(Schema.String) }),
      success: envelope(Schema.Struct({ erased: Schema.Int }))
    }).annotate(
      OpenApi.Summary,
      "Erase up to 1,000 contacts by their ids; those unknown or erased are skipped"
    )
  )
  .pipe(
    requiring({
      list: "contacts:read",
      consentHistory: "contacts:read",
      timeline: "contacts:read",
      devices: "contacts:read",
      topics: "contacts:read",
      askToConfirm: "consent:write",
      sendConfirmation: "consent:write",
      links: "consent:write",
      erase: confirmedByBody("contacts:erase")
    })
  ) {}
