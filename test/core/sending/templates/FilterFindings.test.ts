/**
 * Tests of the findings about content that spam filters object to.
 *
 * @module
 */
import { expect, it } from "vitest"
import { missingValues } from "../../../../core/sending/templates/ReaderRules.ts"
import { type FilteredContent, filterFindings } from "../../../../core/sending/templates/FilterFindings.ts"

const good: FilteredContent = {
  subject: "Your parcel is on its way",
  document: `<html>${"x".repeat(4_000)}</html>`,
  text: "Your parcel is on its way",
  htmlText: "Your parcel is on its way",
  images: 1,
  links: ["https://shop.example/"],
  hasUnsubscribe: true,
  missing: []
}

it.each<[Partial<FilteredContent>, ReadonlyArray<string>]>([
  [{}, []],
  [{ subject: "BUY IT NOW" }, ["SUBJ_ALL_CAPS"]],
  [{ subject: "IKEA 2032" }, []],
  [{ subject: "BUYITRIGHTNOW" }, []],
  [{ subject: "1234 5678 90" }, []],
  [{ subject: "Really? Yes!" }, ["PLING_QUERY"]],
  [{ document: "<html></html>" }, ["HTML_IMAGE_ONLY"]],
  [{ document: "<html></html>", images: 0 }, []],
  [{ document: "é".repeat(51_200) }, ["GMAIL_CLIPS"]],
  [{ links: ["http://192.0.2.7:8080/a"] }, ["NORMAL_HTTP_TO_IP"]],
  [{ links: ["https://1.2.example/"] }, []],
  [{ text: null, htmlText: null }, ["MIME_HTML_ONLY"]],
  [{ text: null }, []],
  [{ text: "Zwei Becher" }, ["MPART_ALT_DIFF"]],
  [{ text: "PARCEL" }, []],
  [{ document: null, htmlText: null }, []],
  [{ document: `${good.document}<img src="a.png">` }, ["IMAGE_WITHOUT_TEXT"]],
  [{ document: `${good.document}<img src="a.png" alt="">` }, []],
  [{ links: ["https://shop.example/", "http://shop.example/"] }, ["LINK_QUESTIONABLE"]],
  [{ links: ["https://localhost:3000/"] }, ["LINK_QUESTIONABLE"]],
  [{ hasUnsubscribe: false }, ["NO_UNSUBSCRIBE_LINK"]],
  [{ document: null, missing: [{ field: "subject", path: "contact.firstName" }] }, ["VALUE_MISSING"]]
])("of %j is %j", (content, rules) => {
  expect(filterFindings({ ...good, ...content }).map(({ rule }) => rule)).toEqual(rules)
})

const values = {
  contact: { firstName: null, city: "Wien", attributes: { plan: "pro" } },
  event: { name: "" }
}

it.each<[string, ReadonlyArray<string>]>([
  ["{{ contact.firstName }} {{contact.city}} {{- contact.firstName -}}", ["contact.firstName"]],
  ["{{ contact.firstName | default: 'there' }} {{ contact.firstName | upcase | default: 'x' }}", []],
  ["{% if contact.firstName %}{{ contact.firstName }}{% endif %}", []],
  ["{%- unless event.name == blank %}{{ event.name }}{% endunless %}", []],
  [
    "{{ event.name | upcase }} {{ contact.attributes.plan }} {{ contact.attributes.seats }}",
    ["event.name", "contact.attributes.seats"]
  ],
  [
    "{{ contact.firstName.length }} {{ contact.constructor }}",
    ["contact.firstName.length", "contact.constructor"]
  ],
  ["{{ n }} {{ 'contact.firstName' }} {{ contact }} {{", []]
])("of %j the values %j are missing", (template, missing) => {
  expect(missingValues(template, values)).toEqual(missing)
})

it("misses nothing of a contact and an event that are unknown", () => {
  expect(missingValues("{{ contact.firstName }} {{ event.plan }}", {})).toEqual([])
})
