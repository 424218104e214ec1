/**
 * Rewords messages of the service in the terms of the screens: those in `core/shared/Problem.ts` and `core/explain/Reasons.ts`
 * that name fields, routes or settings of the API. All other messages are shown unchanged.
 *
 * @module
 */
import { fieldName, translation } from "../../lib/said.ts"

/** The messages and their rewordings. */
export const saidEn: Readonly<Record<string, string>> = {
  "The contact field {key} is archived: it can be read, but not written before PATCH /api/v1/contact-attributes/{key} sets archived to false.":
    "The field {key} is archived. Restore it before you change its values.",
  "key must be 1 to 40 lowercase letters, digits and underscores, beginning with a letter.":
    "A key is 1 to 40 lowercase letters, digits and underscores, beginning with a letter.",
  "The account has no contact field with this key; GET /api/v1/contact-attributes lists those it has.":
    "The account has no field with this key.",
  "The account has no contact field {key}; create it with POST /api/v1/contact-attributes, or correct the key.":
    "The account has no field {key}. Add it under People, Fields, or correct the key.",
  "consent.proof.text must be the exact words agreed to when the basis is Subscribed.":
    "Enter the exact sentence the person agreed to.",
  "email must be given for a new contact.": "A new contact needs an email address.",
  "email must not be the address of an erased person. Imports, and with keepErased all writes, do not add erased people again.":
    "The person with this address was erased and is not added again.",
  "The account has {max} contacts, the limit of its setting contactLimit: erase some, or raise it.":
    "The account has {max} contacts, its limit. Erase some, or ask an operator to raise the limit.",
  "A column must be mapped to email, externalId or id.":
    "Map a column to the email address, the user ID or the ID.",
  "A column must be mapped to a contact field, attributes.<key>, topics.<key>, consent.basis, consent.proof.<field> or ignored.":
    "Map each column to a field, or skip it.",
  "Two columns are mapped to {value}; map one of them to ignored.":
    "Two columns are mapped to {value}. Skip one of them.",
  "{value} is not a time zone: timeZone must be an IANA time zone, such as Europe/Berlin.":
    "{value} is not a time zone. Enter one such as Europe/Berlin.",
  "topic is only for Marketing emails: leave it out, or set purpose to Marketing.":
    "Only marketing email has a topic. Remove the topic, or change the kind of email to marketing.",
  "url must be a public https URL; SVC_WEBHOOK_ALLOW_PRIVATE=true allows any other while you develop.":
    "The address must be an https URL of a public server.",
  "The flow is not published: publish it with POST /manage/v1/accounts/<id>/flows/<id>/publish; an archived flow cannot be published.":
    "The flow is not published. Publish it first. An archived flow cannot be published.",
  "The segments of audience select no one now; choose others.":
    "The segments select nobody at the moment. Choose others.",
  "audience must have at least one segment.": "Choose at least one segment.",
  "audience must select at most {max} people, the limit of this storage; PostgreSQL has no such limit.":
    "A campaign can have at most {max} people in this installation, which does not use PostgreSQL.",
  "content must have either templateId or a subject with html or text, and not both.":
    "Choose a template, or write a subject and the HTML or text.",
  "content must render for the people in the audience; it failed for some or all of those that were tested. Campaigns have no event. params have the line and column, if known.":
    "The content could not be rendered for some of the people it was tried with. Check its fields. Campaigns have no event.",
  "content must be given.": "The campaign has no content. Choose a template, or write the content.",
  "The html is 100 KB or larger: Gmail shows only its beginning.":
    "The HTML is 100 KB or larger. Gmail shows only the beginning.",
  "Each image should have alternative text (alt), which many people see first or hear.":
    "Give each image an alternative text. Many people see it first, or hear it.",
  "Links should begin with https, lead to a public host and contain no remaining braces.":
    "Links should begin with https, lead to a public server and contain no braces.",
  "schedule must not be in the past.": "The time must be in the future.",
  "audience must name segments that exist.": "A segment was deleted. Remove it from the audience.",
  "The account's marketing email is held because of its standing; no campaign starts until the hold is lifted.":
    "Marketing email of this account is held because of its standing. Campaigns can start when the hold ends.",
  "The content has no text; a text part is made from the html.":
    "The content has no text part. It is generated from the HTML.",
  "A test can be sent only to members of the company and to the account's testAddresses.":
    "Tests are sent only to members of the company and to the test addresses in the settings.",
  "A test that sends the winner to the rest cannot have a schedule with localTime.":
    "An A/B test with a winner cannot be sent at a local time of each recipient. Choose another time.",
  "The link to unsubscribe must be visible; the html hides it.":
    "The HTML hides the unsubscribe link. Make it visible.",
  "name must be given for a new item.": "A new item needs a name.",
  "{value} is not a currency: currency must be an ISO 4217 code, such as EUR.":
    "{value} is not a currency. Enter a code such as EUR.",
  "currency must be an ISO 4217 code, such as EUR.": "Enter a currency code such as EUR.",
  "It was changed in the meantime; read it again and repeat the change with its new ETag.":
    "It was changed meanwhile. Reload it, then make your change again.",
  "Nothing was found for {field}: its value does not exist, has ended or was deleted, or belongs to another account or company.":
    "{field}: nothing was found. It may have ended, have been deleted, or belong to another account.",
  "Nothing was found for {route}: an id in the path does not exist, was deleted, or belongs to another account or company.":
    "Not found. It may have been deleted, or belong to another account or company.",
  "The limit of {limit} calls in a minute is reached; wait as long as the header Retry-After says.":
    "The limit of {limit} calls a minute is reached. Wait a minute, then try again.",
  "The account has 20 open streams, which is the maximum; close one first.":
    "The account has 20 live views open, the most possible. Close one first.",
  "{value} is not a domain name from which email can be sent, such as example.com.":
    "Email cannot be sent from {value}. Enter a domain such as example.com.",
  "domain must be a domain name that email can be sent from.":
    "Enter a domain that email can be sent from, such as example.com.",
  "Give one of provider, site and domain: the key of a provider of the table, a site, or a recipient's domain.":
    "Enter one provider, one server or one domain of recipients.",
  "A pool can be deleted only when no source, no other pool and no account uses it. The pool default stays.":
    "A pool can be removed once no address, no other pool and no account uses it. The pool default cannot be removed.",
  "There is a source with this address already.": "This sending address exists already.",
  "address must be an IPv4 or IPv6 address of one of the installation's machines.":
    "Enter an IPv4 or IPv6 address of one of the installation's machines.",
  "until must be a time within the next 5 days.": "The hold must end within the next 5 days.",
  "{count} deliveries are held: confirm must be this number.":
    "{count} emails are held. Reload, then confirm this number.",
  "The records of a live domain contain the mail host name of this installation: set SVC_SMTP_HOST to a public name, and restart the service.":
    "The records of a live domain need the mail host name of this installation. Ask an operator to set SVC_SMTP_HOST to a public host name and to restart the service.",
  "The sender's domain must pass the checks of GET /manage/v1/accounts/{accountId}/alignment that large providers require.":
    "The sender's domain fails checks that large providers require. Domains shows them for each domain.",
  "from must be an address on a verified domain of the account.":
    "The sender must have an address on a verified domain of the account.",
  "{value} is not a field for segments; it must be a built-in, attributes.<key>, topics.<key> or events.<name> that exists.":
    "{value} is not a field that segments can use.",
  "The account has no such segment; GET /manage/v1/accounts/<id>/segments lists those it has.":
    "The account has no such segment.",
  "operator must be an operator of the field.": "Choose a condition that this field has.",
  "rules must have at most 50 rules.": "A segment can have at most 50 rules.",
  "With {operator} of {of}, value must be {expected}.": "The value must be {expected}.",
  "With {operator}, value must be {expected}.": "The value must be {expected}.",
  "value must be a value of the operator.": "The value does not fit the condition.",
  "The owner must have at most {max} relays; delete one that is not used.":
    "There can be at most {max} relays. Remove one that is not used.",
  'delivery must name 1 to 5 different ways of each stream: "Direct", or "relay:" with the id of a relay that the company may use for it.':
    "Choose 1 to 5 different routes for each kind of email.",
  "url must be smtp:// or smtps:// with a host, and with the password itself where it has one; a company's must be a public server at port 25, 465, 587, 2465, 2525 or 2587, without verify=false.":
    "Enter a public server with port 25, 465, 587, 2465, 2525 or 2587, and its password if it has one.",
  "The email has no queued delivery, and only those can be cancelled.":
    "The email is no longer waiting, so it cannot be cancelled.",
  "The email has no delivery that is held for review, or it was decided already.":
    "The email is no longer held for review.",
  "day must be one without a rate for the provider and domain, or the entry must have replace.":
    "This day already has a rate. Choose another day, or replace the rate.",
  "The account's queue must hold at most ten days of its daily limit; try again later, or raise its setting dailySendLimit.":
    "The account's queue is full: it holds ten days of the daily email limit. Try again later, or ask an operator to raise the limit.",
  "The template does not parse at line {line}, column {column}: {reason}.":
    "The template has an error in line {line}, column {column}: {reason}.",
  "templateId must be the id of a template of the account; GET /manage/v1/accounts/<id>/templates lists them.":
    "The template does not exist. Choose another.",
  "The token must not have the right {right}, which its creator lacks or has only for a while.":
    "You cannot grant the right {right}: you do not have it, or have it only for a limited time.",
  "A token must have no right that its creator lacks.": "You cannot grant a right that you do not have.",
  "The account has no topic {key}; GET /api/v1/topics lists those it has.": "The account has no topic {key}.",
  "The user must not be a member of the company already.": "This person is already a member of the company.",
  "code must be a current one-time code or an unused recovery code.":
    "Enter a current code from the authenticator app, or an unused recovery code.",
  "The user must have no one-time codes yet; remove them first.":
    "An authenticator app is set up already. Turn it off first.",
  "The installation must keep an active operator: make another one first, with svc users invite --operator.":
    "The installation needs an active operator. Invite another operator first.",
  "The company must keep an active Owner: make another member one first.":
    "The company needs an active Owner. Make another member an Owner first.",
  "The link must be valid: it is unknown, expired or used. Ask for a new one.":
    "The link is unknown, expired or already used. Ask for a new one.",
  "The passkey must be one of this service and of a user who may sign in, and answer a challenge of the last five minutes.":
    "The passkey was not accepted. It may have been removed, or the sign-in took longer than five minutes.",
  "password must be harder to guess. {hint}": "The password is too easy to guess. {hint}",
  "password must be harder to guess.": "The password is too easy to guess.",
  "The identity provider must sign a user in, within ten minutes and in the browser that went there; sign in again.":
    "The identity provider must sign you in within ten minutes and in the same browser. Sign in again.",
  "The user must sign in with the identity provider, so there is no password or second factor here.":
    "You sign in with an identity provider, and have no password or second factor here.",
  "The caller lacks the right {right}, which the call requires.": "Your role lacks the right {right}.",
  "The address and the password must be those of a user who may sign in.":
    "The address or the password is wrong.",
  "Too many wrong tokens, passwords or codes; wait as long as the header Retry-After says.":
    "Too many wrong tokens, passwords or codes. Wait a while, then try again.",
  "{field} must be one valid email address, such as ada@example.org.":
    "Enter one valid email address, such as ada@example.org.",
  "The value must be a valid email address.": "Enter a valid email address.",
  "The value must have the required format.": "The value does not have the required format.",
  "The value must be shorter; params name the limit.": "The value is too long.",
  "The value must be longer; params name the limit.": "The value is too short.",
  "The value must be in the range that params name.": "The value is outside the allowed range.",
  "{field} must be {expected}.": "{field} must be {expected}.",
  "{field} must have at most {max} {expected}.": "{field} must have at most {max} {expected}.",
  "{field} must be at most {max} characters long.": "{field} must be at most {max} characters long.",
  "{field} must be at least {min} characters long.": "{field} must be at least {min} characters long.",
  "{field} must be at most {latest}.": "{field} must be at most {latest}.",
  "{field} must be from {min} to {max}.": "{field} must be from {min} to {max}.",
  "{field} must be at least {min}.": "{field} must be at least {min}.",
  "{field} must be at most {max}.": "{field} must be at most {max}.",
  "{field} must have the required type.": "{field} does not have the required format.",
  "The value must have the required type.": "The value does not have the required format.",
  "{field} must be given.": "{field} is missing.",
  "The value must be given.": "The value is missing.",
  "The webhook was stopped after too many failures in a row; delete it and add it again.":
    "The webhook was stopped after too many failures in a row. Replace it.",
  "url must be an https address on the public internet, without user name or password; while you develop, svc listen --forward-to posts the notifications to your own machine, and SVC_WEBHOOK_ALLOW_PRIVATE=true allows any other.":
    "The address must be an https URL on the public internet, without a user name or password. During development, svc listen --forward-to sends the notifications to your own machine.",
  "Wait for the next day (UTC), or raise the setting dailySendLimit.":
    "Wait for the next day (UTC), or ask an operator to raise the daily email limit.",
  "Wait until the server offers it, or turn the setting requireTls off.":
    "Wait until the server offers it, or turn off “Require TLS” in the settings.",
  "GET /manage/v1/accounts/{accountId}/notices shows the provider's reply and what to fix.":
    "Domains, Standing shows the provider's reply and what to fix.",
  "The email is waiting because none of the relays in the account's setting delivery can be used.":
    "The email is waiting because none of the account's relays can be used.",
  "Fix the relay, or add another to the setting delivery.":
    "Fix the relay, or add another route under Settings, Relays.",
  "Check the setting marketingCaps.": "Check the frequency caps in the account's settings."
}

/** The values of placeholders and their rewordings. */
export const phrasesEn: Readonly<Record<string, string>> = {
  "true or false": "yes or no",
  "true or false, once": "yes or no",
  "a string": "text",
  "a UUID": "an ID",
  "a UUID, such as 0198c2f0-6d5e-7a31-9b5c-2f1e4d3c2b1a":
    "an ID, such as 0198c2f0-6d5e-7a31-9b5c-2f1e4d3c2b1a",
  "a country code of ISO 3166-1 alpha-2, such as DE": "a two-letter country code, such as DE",
  "a date-time of ISO 8601 with an offset, such as 2026-01-31T12:00:00Z":
    "a date and time, such as 2026-01-31T12:00:00Z",
  "a language tag of BCP 47, such as en or pt-BR": "a language code, such as en or pt-BR",
  "an IANA time zone, such as Europe/Berlin": "a time zone, such as Europe/Berlin",
  "after since": "after the beginning",
  "a time of day other than from": "a different time of day from the beginning",
  "a duration from PT1H to P7D": "1 to 168 hours"
}

/** The fields whose names on the screens differ from those in the API. */
const fields: Readonly<Record<string, string>> = {
  after: "Duration",
  at: "Time",
  email: "Email address",
  externalId: "User ID",
  from: "Sender",
  holdoutPercent: "Holdout group",
  html: "HTML",
  purpose: "Kind of email",
  "quietHours.from": "From",
  "quietHours.to": "Until",
  replyTo: "Reply-to",
  share: "Test group",
  templateId: "Template",
  to: "Recipient",
  url: "Address",
  utm: "UTM parameters",
  "window.from": "From",
  "window.to": "Until"
}

/** The name of an API field on the screens. */
export const nameOf = (field: string): string => fieldName(field, fields)

/** Rewords a message of the service. */
export const translate = translation("en", saidEn, phrasesEn, nameOf)
