/**
 * Tests the rules of the editors: completion of Liquid, undo and redo, the documents of the composer, and the steps of flows.
 *
 * @module
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { stepKinds as knownSteps } from "../../../core/model/FlowDefinition.ts"
import { blockKinds as knownKinds, parseBlocks } from "../../../core/sending/templates/BlockDocument.ts"
import {
  blockAt,
  blockKinds,
  documentOf,
  moved,
  newBlock,
  pathOf,
  placeBeside,
  relocated,
  sourceOf,
  withAdded,
  withBlock,
  without
} from "../../../dashboard/src/lib/blocks.ts"
import * as flow from "../../../dashboard/src/lib/flow.ts"
import { textOfFlow } from "../../../dashboard/src/lib/flowText.ts"
import { filesOf, withAddresses } from "../../../dashboard/src/lib/importHtml.ts"
import { changed, historyOf, redone, undone } from "../../../dashboard/src/lib/history.ts"
import * as pairs from "../../../dashboard/src/lib/pairs.ts"
import { scalarOf } from "../../../dashboard/src/lib/segment.ts"
import { commonNames, completionAt, filters, namesIn, tags } from "../../../dashboard/src/lib/liquid.ts"
import { outlineOf } from "../../../dashboard/src/lib/outline.ts"

const optionsOf = (text: string) => completionAt(text, text.length, commonNames)?.options ?? []

describe("completion of Liquid", () => {
  it("offers names in an output, filters behind a bar and tags in a tag", () => {
    expect(optionsOf("Hello {{ contact.f")).toEqual(["contact.firstName"])
    expect(optionsOf("{{ contact.firstName | def")).toEqual(["default"])
    expect(optionsOf("{% endi")).toEqual(["endif"])
    expect(optionsOf("{%- endi")).toEqual(["endif"])
    expect(optionsOf("{% if contact.ci")).toEqual(["contact.city"])
    expect(optionsOf("{{ ")).toEqual(commonNames.slice(0, 8))
  })

  it("offers nothing outside of Liquid, in a filter's value, or for a whole word", () => {
    for (const text of ["contact.f", "{{ a }} contact.f", "{{ a | default: 'cont", "{{ contact.city"])
      expect([text, optionsOf(text)]).toEqual([text, []])
  })

  it("says where the word begins, which the option replaces", () => {
    const text = "{{ conta"
    expect(completionAt(text, text.length, commonNames)?.from).toBe(3)
  })

  it("fails on no text", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(50), (text, caret) => {
        const found = completionAt(`{{${text}`, Math.min(caret, text.length + 2), [...filters, ...tags])
        if (found !== null) expect(found.from).toBeLessThanOrEqual(caret)
      })
    )
  })

  it("knows the names of a sample", () => {
    expect(namesIn({ plan: "pro", address: { city: "Wien" }, lines: [{}] }, "event")).toEqual([
      "event.plan",
      "event.address",
      "event.address.city",
      "event.lines"
    ])
  })
})

describe("a history", () => {
  it("gives each value back, in order, and drops what was undone with the next change", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 20 }), (values) => {
        let history = historyOf(-1)
        for (const value of values) history = changed(history, value)
        for (const value of [...values].reverse()) {
          expect(history.now).toBe(value)
          history = undone(history)
        }
        expect(undone(history)).toBe(history)
        for (const value of values) expect((history = redone(history)).now).toBe(value)
        expect(redone(history)).toBe(history)
        expect(redone(changed(undone(history), 7)).now).toBe(7)
      })
    )
  })

  it("undoes a run of changes together", () => {
    let history = historyOf("")
    for (const text of ["a", "ab", "abc"]) history = changed(history, text, "name")
    history = changed(history, "other", "subject")
    expect(undone(history).now).toBe("abc")
    expect(undone(undone(history)).now).toBe("")
  })
})

describe("a document of the composer", () => {
  const document = { blocks: [newBlock("Text", {}), newBlock("Columns", {}), newBlock("Divider", {})] }

  it("has the kinds that the service knows, each of which it takes once it is filled in", () => {
    expect([...blockKinds].toSorted()).toEqual([...knownKinds].toSorted())
    for (const kind of blockKinds) {
      const texts = { heading: "h", text: "t", button: "b", product: "p", footer: "f", unsubscribe: "u" }
      const block = { ...newBlock(kind, texts), url: "https://example.com/a.png", itemId: "sku" }
      const parsed = parseBlocks(sourceOf({ blocks: [block] }))
      expect([kind, Result.isSuccess(parsed)]).toEqual([kind, true])
    }
  })

  it("is changed at a place, also in a column", () => {
    const place = [1, 0, 0]
    const text = { kind: "Text", text: "x" }
    expect(blockAt(withBlock(document, place, text), place)).toEqual(text)
    const added = withAdded(document, [1, 0, 1], text)
    expect(blockAt(added, [1, 0, 1])).toEqual(text)
    expect(without(added, [1, 0, 1])).toEqual(document)
    expect(without(withAdded(document, [0], text), [0])).toEqual(document)
    expect(pathOf(place)).toBe("source.blocks[1].columns[0][0]")
    expect(pathOf([2])).toBe("source.blocks[2]")
  })

  it("keeps its blocks when one moves, up to the ends", () => {
    const up = moved(document, [2], -1)
    expect(up.place).toEqual([1])
    expect(up.document.blocks.map(({ kind }) => kind)).toEqual(["Text", "Divider", "Columns"])
    expect(moved(document, [0], -1)).toEqual({ document, place: [0] })
    expect(moved(document, [0], 9).place).toEqual([2])
  })

  it("keeps every block when one is moved into a column, between columns or out, and says where it is", () => {
    const text = (name: string) => ({ kind: "Text", text: name })
    const columns = (...lists: ReadonlyArray<ReadonlyArray<string>>) => ({
      kind: "Columns",
      columns: lists.map((names) => names.map(text))
    })
    const whole = {
      blocks: [text("a"), columns(["b", "c"], []), text("d"), columns(["e"], ["f"])]
    }
    const places = (of: typeof whole) =>
      of.blocks.flatMap((block, at) => [
        [at],
        ...("columns" in block
          ? block.columns.flatMap((list, column) => list.map((_, within) => [at, column, within]))
          : [])
      ])
    const slots = [
      ...Array.from({ length: whole.blocks.length + 1 }, (_, at) => [at]),
      ...[
        [0, 2],
        [1, 0]
      ].flatMap(([column, most]) => Array.from({ length: most! + 1 }, (_, within) => [1, column!, within])),
      [3, 0, 0],
      [3, 1, 1]
    ]
    const letters = (of: object) => [...JSON.stringify(of).matchAll(/"text":"(\w)"/g)].map(([, name]) => name)
    for (const from of places(whole))
      for (const to of slots) {
        const block = blockAt(whole, from)
        const next = relocated(whole, from, to)
        const isRefused = block?.kind === "Columns" && to.length > 1
        expect([from, to, letters(next.document).toSorted()]).toEqual([from, to, [..."abcdef"]])
        expect([from, to, blockAt(next.document, next.place)]).toEqual([from, to, block])
        expect([from, to, isRefused && next.document !== whole]).toEqual([from, to, false])
      }
    expect(placeBeside(whole, [0], 1)).toEqual([1, 0, 0])
    expect(placeBeside(whole, [1, 0, 1], 1)).toEqual([1, 1, 0])
    expect(placeBeside(whole, [1, 1, 0], 1)).toBeNull()
    expect(placeBeside({ blocks: [text("a"), text("b")] }, [0], 1)).toBeNull()
  })

  it("begins anew for what is no document", () => {
    for (const source of [null, "", "[", "null", "{}"]) expect(documentOf(source)).toEqual({ blocks: [] })
    expect(documentOf(sourceOf(document))).toEqual(document)
  })
})

describe("a flow as text", () => {
  const kinds = { Branch: "Branch", SendEmail: "Send an email" }
  const email = { id: "mail", kind: "SendEmail", subject: "Hi", html: `<p>${"x".repeat(200)}</p><p>end</p>` }
  const rule = (value: string) => ({ join: "All", rules: [{ fieldKey: "city", operator: "Equals", value }] })
  const branch = (value: string, ...then: ReadonlyArray<flow.Step>) => ({
    id: "fork",
    kind: "Branch",
    condition: rule(value),
    then,
    else: []
  })
  const split = (weight: number) => ({
    id: "split",
    kind: "Split",
    paths: [
      { weight, steps: [email] },
      { weight: 1, steps: [] }
    ]
  })
  const of = (...steps: ReadonlyArray<flow.Step>) => ({ trigger: { kind: "Api" }, stopEvents: [], steps })

  it("differs wherever the flows do, in rules, long contents and weights too", () => {
    const flows = [
      of(email),
      of({ ...email, html: email.html.replace("end", "End") }),
      of(branch("Wien")),
      of(branch("Graz")),
      of(branch("Wien", email)),
      of(branch("Wien"), email),
      of(split(1)),
      of(split(2)),
      of({ id: "tag", kind: "UpdateContact", tags: { add: ["a"], remove: [] } }),
      of({ id: "tag", kind: "UpdateContact", tags: { add: [], remove: ["a"] } }),
      { ...of(email), trigger: { kind: "Event", name: "a" } },
      { ...of(email), trigger: { kind: "Event", name: "a", filter: rule("x") } },
      { ...of(email), stopEvents: [{ name: "b" }] }
    ]
    expect(new Set(flows.map((one) => textOfFlow(one, kinds))).size).toBe(flows.length)
  })

  it("has no braces for what people set, and takes null for what is left out", () => {
    const text = textOfFlow(
      of(branch("Wien", { ...email, html: null, templateId: null, topic: null })),
      kinds
    )
    expect(text.split("\n")).toEqual([
      "trigger:",
      "  kind: Api",
      "Branch (fork)",
      "  condition: All",
      '    city Equals "Wien"',
      "  then:",
      "    Send an email (mail)",
      "      subject: Hi",
      "  else:"
    ])
  })
})

describe("a point in time that is entered", () => {
  it("is shown again as it was entered, and as nothing where it is none", () => {
    expect(flow.localOf(flow.pointOf("2031-02-03T04:05"))).toBe("2031-02-03T04:05")
    expect(flow.pointOf("2031-02-03T04:05")).toMatch(/Z$/)
    expect([flow.localOf("soon"), flow.pointOf("")]).toEqual(["", ""])
  })
})

describe("an HTML file that is imported", () => {
  const html =
    '<img src="images/a%20b.png?x=1"><td background=\'./c.gif\'><img src="https://e.example/d.png">' +
    '<img src="cid:e"><img src="data:image/png;base64,AA=="><img src="{{ url }}"><img src="images/a%20b.png">'

  it("names the files that it shows, and nothing of the network", () => {
    expect(filesOf(html)).toEqual(["a b.png", "c.gif"])
  })

  it("shows the new addresses, and what has none stays", () => {
    const address = "https://svc.example/i/key"
    const shown = withAddresses(html, new Map([["a b.png", address]]))
    expect(shown.split(address)).toHaveLength(3)
    expect(filesOf(shown)).toEqual(["c.gif"])
    expect(withAddresses(html, new Map())).toBe(html)
  })
})

describe("the steps of a flow", () => {
  const branch = flow.newStep("Branch", [])
  const split = flow.newStep("Split", [])
  const steps = flow.withAdded(
    flow.withAdded([branch, split], [0, "then", 0], flow.newStep("Wait", [])),
    [1, "1", 0],
    flow.newStep("Exit", [])
  )

  it("have the kinds that the service knows", () => {
    expect([...flow.stepKinds]).toEqual([...knownSteps])
  })

  it("are changed at a place, also within others", () => {
    expect(flow.stepAt(steps, [0, "then", 0])?.kind).toBe("Wait")
    expect(flow.stepAt(steps, [1, "1", 0])?.kind).toBe("Exit")
    expect(flow.stepAt(steps, [0, "else", 0])).toBeUndefined()
    const wait = { id: "x", kind: "Wait", duration: "PT5M" }
    expect(flow.stepAt(flow.withStep(steps, [0, "then", 0], wait), [0, "then", 0])).toEqual(wait)
    expect(flow.without(flow.withAdded(steps, [1, "0", 0], wait), [1, "0", 0])).toEqual(steps)
    expect(flow.pathOf(steps, [1, "1", 0])).toBe("steps[1].paths[1].steps[0]")
    expect(flow.pathOf(steps, [0, "then", 0])).toBe("steps[0].then[0]")
    for (const [place] of flow.placesOf(steps)) {
      expect(flow.placeOfField(steps, `${flow.pathOf(steps, place)}.condition.rules[0].value`)).toEqual(place)
    }
    expect(flow.placeOfField(steps, "steps[1].paths[1].weight")).toEqual([1])
    expect(["name", "trigger.name", "steps[9].html"].map((name) => flow.placeOfField(steps, name))).toEqual([
      null,
      null,
      null
    ])
  })

  it("move within their list, up to its ends", () => {
    const down = flow.moved(steps, [0], 1)
    expect([down.place, down.steps.map(({ kind }) => kind)]).toEqual([[1], ["Split", "Branch"]])
    expect(flow.moved(steps, [0], -1)).toEqual({ steps, place: [0] })
  })

  it("move to any place but within themselves, and lose nothing on the way", () => {
    const places = flow.placesOf(steps).map(([place]) => place)
    const ends = [[2], [0, "then", 1], [0, "else", 0], [1, "0", 0], [1, "1", 1]]
    for (const from of places) {
      const step = flow.stepAt(steps, from)!
      for (const to of [...places, ...ends]) {
        const isWithin = to.length > from.length && from.every((part, at) => part === to[at])
        const next = flow.relocated(steps, from, to)
        expect(flow.stepAt(next.steps, next.place)).toBe(step)
        expect(flow.idsOf(next.steps).toSorted()).toEqual(flow.idsOf(steps).toSorted())
        if (isWithin) expect(next).toEqual({ steps, place: from })
      }
    }
    expect(flow.relocated(steps, [0, "then", 0], [1, "0", 0]).place).toEqual([1, "0", 0])
    expect(flow.relocated(steps, [0], [2]).place).toEqual([1])
  })

  it("have places beside: the next path, into a neighbour, and out of the step around", () => {
    const wait = flow.withAdded(steps, [0], { id: "x", kind: "Wait", duration: "PT5M" })
    expect(flow.placeBeside(wait, [0], 1)).toEqual([1, "then", 1])
    expect(flow.placeBeside(wait, [0], -1)).toBeNull()
    expect(flow.placeBeside(wait, [1, "then", 0], 1)).toEqual([1, "else", 0])
    expect(flow.placeBeside(wait, [2, "1", 0], -1)).toEqual([2, "0", 0])
    expect(flow.placeBeside(wait, [1, "then", 0], -1)).toEqual([2])
    expect(flow.placeBeside(wait, [2, "1", 0], 1)).toBeNull()
  })

  it("have ids of their own, also those that are copied", () => {
    const copied = flow.withAdded(steps, [2], flow.copyOf(steps[0]!, steps))
    const ids = flow.idsOf(copied)
    expect(ids).toHaveLength(6)
    expect(new Set(ids).size).toBe(6)
    for (const id of ids) expect(id).toMatch(/^[a-z_]+_\d+$/)
  })

  it("are named by their kind and what they say, and by their id where that is the same", () => {
    const kinds = { Wait: "Wait", SendEmail: "Send an email", Branch: "Branch" }
    const named = [
      { id: "hello", kind: "SendEmail" },
      { id: "day", kind: "Wait" },
      {
        id: "known",
        kind: "Branch",
        then: [{ id: "more", kind: "Wait" }],
        else: [{ id: "end", kind: "Exit" }]
      }
    ]
    const details = new Map([
      ["hello", "Welcome"],
      ["day", "1 day"],
      ["more", "1 day"]
    ])
    expect([...flow.stepNames(named, kinds, details)]).toEqual([
      ["hello", "Send an email: Welcome"],
      ["day", "Wait: 1 day (day)"],
      ["known", "Branch"],
      ["more", "Wait: 1 day (more)"],
      ["end", "Exit"]
    ])
  })

  it("have durations in one unit, which are read and written alike", () => {
    for (const duration of ["P1D", "P2W", "PT90M", "PT12H"]) {
      const { amount, unit } = flow.amountOf(duration)!
      expect(flow.durationOf(amount, unit)).toBe(duration)
    }
    for (const duration of ["P1DT2H", "", null, "P1M"]) expect(flow.amountOf(duration)).toBeNull()
  })
})

describe("names with values", () => {
  it("are read back as they were, whatever they look like", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(pairs.valueOf(pairs.typedOf(value)))).toBe(JSON.stringify(value))
      })
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(pairs.valueOf(pairs.typedOf(text, true), true)).toBe(text)
      })
    )
    expect(["pro", "10", '"10"', "true"].map((typed) => pairs.valueOf(typed))).toEqual([
      "pro",
      10,
      "10",
      true
    ])
  })

  it("are compared as numbers where they are written as such", () => {
    expect(["10", "1.5", "1.0", "", "pro", "1e3"].map(scalarOf)).toEqual([10, 1.5, "1.0", "", "pro", "1e3"])
  })
})

describe("the outline of a flow", () => {
  const wait = (id: string): flow.Step => ({ id, kind: "Wait" })

  it("has the steps of a list below each other, with lines between them", () => {
    const { boxes, height, lines, width } = outlineOf([wait("a"), wait("b")])
    expect([width, height]).toEqual([1, 2])
    expect(boxes.map(({ x, y }) => [x, y])).toEqual([
      [0.5, 0.5],
      [0.5, 1.5]
    ])
    expect(lines).toEqual([{ from: [0.5, 0.5], to: [0.5, 1.5] }])
  })

  it("has paths beside each other, and what follows below the longest", () => {
    const fork = { id: "f", kind: "Branch", then: [wait("a"), wait("b")], else: [wait("c")] }
    const { boxes, height, lines, width } = outlineOf([fork, wait("d")])
    expect([width, height]).toEqual([2, 4])
    expect(boxes.map(({ x, y }) => [x, y])).toEqual([
      [1, 0.5],
      [0.5, 1.5],
      [0.5, 2.5],
      [1.5, 1.5],
      [1, 3.5]
    ])
    expect(lines).toContainEqual({ from: [1, 0.5], to: [0.5, 1.5] })
    expect(lines).toContainEqual({ from: [1, 0.5], to: [1.5, 1.5] })
    expect(lines.at(-1)).toEqual({ from: [1, 2.5], to: [1, 3.5] })
  })

  it("is empty without steps, and keeps every step once", () => {
    expect(outlineOf([])).toEqual({ width: 1, height: 0, boxes: [], lines: [] })
    const paths = [
      { weight: 1, steps: [] },
      { weight: 1, steps: [wait("x")] }
    ]
    expect(outlineOf([{ id: "s", kind: "Split", paths }]).boxes).toHaveLength(2)
  })
})
