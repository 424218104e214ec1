/**
 * What is named in content that a filter would name.
 *
 * @module
 */
import { expect, it } from "vitest"
import { type FilteredContent, filterFindings } from "../../../../core/sending/templates/FilterFindings.ts"

const good: FilteredContent = {
  subject: "Your parcel is on its way",
  document: `<html>${"x".repeat(4_000)}</html>`,
  text: "Your parcel is on its way",
  htmlText: "Your parcel is on its way",
  images: 1,
  links: ["https://shop.example/"]
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
  [{ document: null, htmlText: null }, []]
])("of %j is %j", (content, rules) => {
  expect(filterFindings({ ...good, ...content }).map(({ rule }) => rule)).toEqual(rules)
})
