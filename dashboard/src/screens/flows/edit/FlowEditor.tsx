/**
 * The editor of a flow: its steps on a canvas, the settings of the selected step beside it, undo and redo, simulation and
 * publishing.
 *
 * @module
 */
import { optionsOf } from "../../../lib/options.ts"
import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react"
import { callTagged, type ValueOf } from "../../../api/call.ts"
import { ApiError } from "../../../api/errors.ts"
import { useApi, useExtra, useTagged } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import {
  copyOf,
  moved,
  newStep,
  pathOf,
  type Place,
  placeAfter,
  placeBeside,
  placeOfField,
  placesOf,
  relocated,
  type Step,
  stepAt,
  stepNames,
  withAdded,
  without,
  withStep
} from "../../../lib/flow.ts"
import { textOfFlow } from "../../../lib/flowText.ts"
import { changed, historyOf, redone, undone } from "../../../lib/history.ts"
import type { Definition, Parts } from "../../../lib/segment.ts"
import { Button, IconButton } from "../../../parts/form/Button.tsx"
import { Field, Fields, Input, Select } from "../../../parts/form/Field.tsx"
import { toast } from "../../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../../parts/page/Banner.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Page, Section } from "../../../parts/page/Page.tsx"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import { EditedMeanwhile, isEditedMeanwhile } from "../../editors/EditedMeanwhile.tsx"
import { LeaveGuard } from "../../editors/LeaveGuard.tsx"
import { ValuesInput } from "../../people/segments/ValuesInput.tsx"
import { useTriggerText } from "../useTriggerText.ts"
import { stepMark } from "../Run.tsx"
import { Canvas, type CanvasActions, nameOfPlace } from "./Canvas.tsx"
import styles from "./Canvas.module.css"
import { EventField, eventParts, RulesField, StepInspector } from "./Inspector.tsx"
import { follow, marksOf, useOutcome, useSkipReason } from "./Playback.tsx"
import { SegmentTrigger, type Trigger } from "./SegmentTrigger.tsx"
import { PublishDialog } from "./PublishDialog.tsx"
import { type Shown, Simulate } from "./Simulate.tsx"
import { useDetails, withProperties } from "./useDetails.ts"
import { useStepDrag } from "./useStepDrag.ts"

const oneRoute = "GET /accounts/:accountId/flows/:id"

type Stored = ValueOf<typeof oneRoute>

interface EventMatch {
  readonly name: string
  readonly filter?: unknown
}

/** A new trigger of each kind. */
const newTriggers: Readonly<Record<string, Trigger>> = {
  Api: { kind: "Api" },
  Event: { kind: "Event", name: "" },
  Segment: { kind: "Segment", segmentId: "", on: "Enter", includePresent: false }
}

/** What is being edited. */
interface Draft {
  readonly name: string
  readonly trigger: Trigger
  readonly stopEvents: ReadonlyArray<EventMatch>
  readonly steps: ReadonlyArray<Step>
}

const draftOf = ({ name, steps, stopEvents, trigger }: Stored): Draft => ({
  name,
  trigger: trigger as Draft["trigger"],
  stopEvents: stopEvents as Draft["stopEvents"],
  steps: steps as Draft["steps"]
})

/** The step that was copied last, possibly from another flow. */
let copied: Step | null = null

const Editor = ({
  etag,
  flow,
  onPublished,
  parts
}: {
  readonly flow: Stored
  readonly etag: string | null
  readonly parts: Parts
  readonly onPublished: () => void
}) => {
  const { flows } = useTexts()
  const { flow: texts } = useEditorTexts()
  const format = useFormat()
  const client = useQueryClient()
  const { can, id: accountId } = useAccount()
  const params = { accountId, id: flow.id }
  const [saved, setSaved] = useState(() => draftOf(flow))
  const [history, setHistory] = useState(() => historyOf(saved))
  const { selected: named } = route.useSearch()
  const navigate = route.useNavigate()
  const [selected, setSelected] = useState<Place | null>(
    () => placesOf(saved.steps).find(([, { id }]) => id === named)?.[0] ?? null
  )
  const [tag, setTag] = useState(etag)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [theirs, setTheirs] = useState<{ readonly draft: Draft; readonly tag: string | null } | null>(null)
  const [isSaving, setSaving] = useState(false)
  const [isPublishing, setPublishing] = useState(false)
  const [simulated, setSimulated] = useState<Shown | null>(null)
  const [canPaste, setCanPaste] = useState(copied !== null)
  const canvas = useRef<HTMLDivElement>(null)
  const stats = useExtra("GET /accounts/:accountId/flows/:id/stats", { params })
  const draft = history.now
  const { steps } = draft
  const triggerText = useTriggerText([draft.trigger])
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved)
  const fields = failure?.fields ?? {}

  const edit = (values: Partial<Draft>, run: string | null = null) => {
    setSimulated(null)
    setHistory((before) => changed(before, { ...before.now, ...values }, run))
  }

  const focus = (place: Place | null) => {
    setSelected(place)
    if (place !== null)
      requestAnimationFrame(() =>
        canvas.current?.querySelector<HTMLElement>(`[data-place="${nameOfPlace(place)}"]`)?.focus()
      )
  }

  const addStep = (place: Place, step: Step) => {
    edit({ steps: withAdded(steps, place, step) })
    focus(place)
  }

  const remove = (place: Place) => {
    edit({ steps: without(steps, place) })
    const at = place.at(-1) as number
    focus(at > 0 ? [...place.slice(0, -1), at - 1] : null)
  }

  const moveTo = (place: Place, to: Place | null) => {
    if (to === null) return
    const next = relocated(steps, place, to)
    if (next.steps === steps) return
    edit({ steps: next.steps })
    focus(next.place)
  }

  /** Moves a step up or down. At the end of a branch, it moves out of the enclosing step. */
  const move = (place: Place, by: -1 | 1) => {
    const next = moved(steps, place, by)
    const around = place.slice(0, -2)
    if (next.steps === steps) {
      if (around.length > 0) moveTo(place, by < 0 ? around : placeAfter(around))
      return
    }
    edit({ steps: next.steps })
    focus(next.place)
  }

  const copy = (place: Place) => {
    copied = stepAt(steps, place) ?? copied
    setCanPaste(copied !== null)
  }

  const pasteAt = (place: Place) => {
    if (copied !== null) addStep(place, copyOf(copied, steps))
  }

  const openAdder = (place: Place) =>
    canvas.current?.querySelector<HTMLElement>(`[data-slot="${nameOfPlace(placeAfter(place))}"]`)?.click()

  /** Moves the focus to the previous or next card, in the order of display. */
  const go = (place: Place, by: -1 | 1) => {
    const cards = [...(canvas.current?.querySelectorAll<HTMLElement>("[data-place]") ?? [])]
    const at = cards.findIndex(({ dataset }) => dataset["place"] === nameOfPlace(place))
    const next = placesOf(steps)[at + by]
    if (next !== undefined) focus(next[0])
  }

  const press = (event: KeyboardEvent, place: Place) => {
    const isCommand = event.ctrlKey || event.metaKey
    const isFromRight = getComputedStyle(event.currentTarget).direction === "rtl"
    const keys: Readonly<Record<string, () => void>> = isCommand
      ? {
          c: () => copy(place),
          x: () => {
            copy(place)
            remove(place)
          },
          v: () => pasteAt(placeAfter(place))
        }
      : event.altKey
        ? {
            arrowup: () => move(place, -1),
            arrowdown: () => move(place, 1),
            arrowleft: () => moveTo(place, placeBeside(steps, place, isFromRight ? 1 : -1)),
            arrowright: () => moveTo(place, placeBeside(steps, place, isFromRight ? -1 : 1))
          }
        : {
            delete: () => remove(place),
            backspace: () => remove(place),
            arrowup: () => go(place, -1),
            arrowdown: () => go(place, 1),
            "+": () => openAdder(place)
          }
    const act = keys[event.key.toLowerCase()]
    if (act === undefined) return
    event.preventDefault()
    act()
  }

  const { ghost, handlers } = useStepDrag(canvas, moveTo)

  // Cards are memoised, so the callbacks passed to them must not change.
  const latest = useRef({ focus, addStep, pasteAt, press, steps })
  useEffect(() => {
    latest.current = { focus, addStep, pasteAt, press, steps }
  })
  const onSelect = useCallback((place: Place) => latest.current.focus(place), [])
  const onPress = useCallback((event: KeyboardEvent, place: Place) => latest.current.press(event, place), [])
  const onPaste = useCallback((place: Place) => latest.current.pasteAt(place), [])
  const onAdd = useCallback(
    (place: Place, kind: string) => latest.current.addStep(place, newStep(kind, latest.current.steps)),
    []
  )
  const actions = useMemo<CanvasActions>(
    () => ({ select: onSelect, press: onPress, add: onAdd, paste: canPaste ? onPaste : null }),
    [canPaste, onAdd, onPaste, onPress, onSelect]
  )

  /** Resolves with whether the draft was saved. */
  const save = async (ifMatch: string | null): Promise<boolean> => {
    setSaving(true)
    setFailure(null)
    try {
      const { etag: next } = await callTagged(
        "PUT /accounts/:accountId/flows/:id",
        { params, body: draft },
        { ifMatch: ifMatch ?? undefined }
      )
      setTag(next)
      setSaved(draft)
      setTheirs(null)
      toast(texts.saved)
      for (const route of ["GET /accounts/:accountId/flows", oneRoute])
        void client.invalidateQueries({ queryKey: [route] })
      return true
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setFailure(error)
      const wrongAt = Object.keys(error.fields).map((field) => placeOfField(steps, field))
      setSelected(wrongAt.find((place) => place !== null) ?? selected)
      if (isEditedMeanwhile(error)) {
        const current = await callTagged(oneRoute, { params })
        setTheirs({ draft: draftOf(current.value), tag: current.etag })
      }
      return false
    } finally {
      setSaving(false)
    }
  }

  /** Saves the changes, because publishing and simulation use the saved version. */
  const whenSaved = async (): Promise<boolean> => !isChanged || (await save(tag))

  const takeTheirs = () => {
    if (theirs === null) return
    setHistory(historyOf(theirs.draft))
    setSaved(theirs.draft)
    setTag(theirs.tag)
    setTheirs(null)
    setFailure(null)
    setSelected(null)
  }

  const details = useDetails(steps, parts)
  const wrong = useMemo(
    () =>
      new Set(
        placesOf(steps).flatMap(([place, { id }]) => {
          const isOwn = (field: string) =>
            nameOfPlace(placeOfField(steps, field) ?? []) === nameOfPlace(place)
          return Object.keys(failure?.fields ?? {}).some(isOwn) ? [id] : []
        })
      ),
    [failure, steps]
  )
  const outcomeOf = useOutcome()
  const reasonOf = useSkipReason()
  const marks = useMemo(
    () =>
      simulated !== null
        ? marksOf(simulated.path, simulated.shown, outcomeOf)
        : new Map(
            (stats?.steps ?? []).flatMap((counts) => {
              const mark = stepMark(counts, flows, format, reasonOf)
              return mark === null ? [] : [[counts.stepId, mark]]
            })
          ),
    [flows, format, outcomeOf, reasonOf, simulated, stats]
  )
  const chosen = selected === null ? undefined : stepAt(steps, selected)
  const chosenId = chosen?.id
  // The URL names the selected step, so that a shared link shows the same step.
  useEffect(() => {
    if (chosenId !== named) void navigate({ search: { selected: chosenId }, replace: true })
  }, [chosenId, named, navigate])
  const undoKeys = (event: KeyboardEvent) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
    if (!(event.ctrlKey || event.metaKey) || isTyping) return
    const key = event.key.toLowerCase()
    if (key !== "z" && key !== "y") return
    event.preventDefault()
    setHistory(key === "y" || event.shiftKey ? redone : undone)
  }
  const names = draft.stopEvents.map(({ name }) => name)
  const isKnown = Object.keys(fields).length > 0
  return (
    // The keys are handled for the cards and buttons inside.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className={styles["side"]} onKeyDown={undoKeys}>
      {theirs !== null && failure !== null ? (
        <EditedMeanwhile
          error={failure}
          isBusy={isSaving}
          mine={`${draft.name}\n${textOfFlow(draft, texts.kinds)}`}
          theirs={`${theirs.draft.name}\n${textOfFlow(theirs.draft, texts.kinds)}`}
          onTakeTheirs={takeTheirs}
          onSaveMine={() => void save(theirs.tag)}
        />
      ) : (
        failure !== null && !isKnown && <ErrorBanner error={failure} />
      )}
      {isKnown && (
        <Banner tone="bad">
          {Object.entries(fields).map(([field, message]) => {
            const at = placeOfField(steps, field)
            const step = at === null ? undefined : stepAt(steps, at)
            return (
              <p key={field}>
                {step !== undefined && at !== null && (
                  <>
                    <Button isSmall onClick={() => setSelected(at)}>
                      {texts.kinds[step.kind] ?? step.kind}
                    </Button>{" "}
                  </>
                )}
                {message}
              </p>
            )
          })}
        </Banner>
      )}
      <div className={styles["tools"]}>
        <Button tone="primary" isBusy={isSaving} onClick={() => void save(tag)}>
          {texts.save}
        </Button>
        <IconButton
          icon="undo"
          label={texts.undo}
          disabled={history.past.length === 0}
          onClick={() => setHistory(undone)}
        />
        <IconButton
          icon="redo"
          label={texts.redo}
          disabled={history.future.length === 0}
          onClick={() => setHistory(redone)}
        />
        {can("flows:publish") && (
          <Button
            disabled={isSaving}
            onClick={() => void whenSaved().then((isSaved) => setPublishing(isSaved))}
          >
            {isChanged ? texts.saveAndPublish : texts.publish}
          </Button>
        )}
        <span role="status">{isChanged ? texts.unsaved : ""}</span>
      </div>
      {steps.length > 0 && <p className={styles["soft"]}>{texts.keys}</p>}
      <div className={styles["editor"]}>
        {/* Cards can be dragged with the mouse; keys of the cards do the same. */}
        <div ref={canvas} className={styles["canvas"]} {...handlers}>
          <p className={styles["start"]}>
            {flows.trigger} <bdi>{triggerText(draft.trigger)}</bdi>
            {steps.length === 0 && `. ${texts.addFirst}`}
          </p>
          <Canvas
            steps={steps}
            selected={selected === null ? "" : nameOfPlace(selected)}
            details={details}
            wrong={wrong}
            marks={marks}
            actions={actions}
          />
        </div>
        <span ref={ghost} className={styles["ghost"]} hidden aria-hidden="true" />
        <div className={styles["side"]}>
          <Section title={texts.inspector}>
            {chosen === undefined || selected === null ? (
              <p className={styles["soft"]}>{texts.chooseStep}</p>
            ) : (
              <>
                <div className={styles["tools"]}>
                  <IconButton isSmall icon="up" label={texts.up} onClick={() => move(selected, -1)} />
                  <IconButton isSmall icon="down" label={texts.down} onClick={() => move(selected, 1)} />
                  <Button isSmall onClick={() => copy(selected)}>
                    {texts.copy}
                  </Button>
                  <Button isSmall disabled={!canPaste} onClick={() => pasteAt(placeAfter(selected))}>
                    {texts.paste}
                  </Button>
                  <Button isSmall icon="plus" onClick={() => openAdder(selected)}>
                    {texts.addAfter}
                  </Button>
                  <IconButton isSmall icon="trash" label={texts.remove} onClick={() => remove(selected)} />
                </div>
                <StepInspector
                  key={selected.join("-")}
                  step={chosen}
                  parts={parts}
                  errorOf={(field) => fields[`${pathOf(steps, selected)}.${field}`]}
                  onChange={(step, run) =>
                    edit(
                      { steps: withStep(steps, selected, step) },
                      run === null ? null : `${selected.join("-")} ${run}`
                    )
                  }
                />
              </>
            )}
          </Section>
          <Section title={texts.settings}>
            <Fields>
              <Field label={texts.name} error={fields["name"]}>
                <Input
                  value={draft.name}
                  autoComplete="off"
                  onChange={({ target: { value } }) => edit({ name: value }, "name")}
                />
              </Field>
              <Field label={texts.trigger} error={fields["trigger.kind"]}>
                <Select
                  value={draft.trigger.kind}
                  options={optionsOf(texts.triggers)}
                  onChange={({ target: { value } }) => edit({ trigger: newTriggers[value]! })}
                />
              </Field>
              {draft.trigger.kind === "Segment" && (
                <SegmentTrigger
                  trigger={draft.trigger}
                  fields={fields}
                  onChange={(trigger) => edit({ trigger })}
                />
              )}
              {draft.trigger.kind === "Event" && (
                <>
                  <EventField
                    label={texts.event}
                    value={draft.trigger.name ?? ""}
                    error={fields["trigger.name"]}
                    onChange={(name) => edit({ trigger: { ...draft.trigger, name } }, "trigger")}
                  />
                  <RulesField
                    isOptional
                    label={texts.eventFilter}
                    parts={eventParts(parts)}
                    definition={(draft.trigger.filter ?? null) as Definition | null}
                    errorOf={(field) => fields[`trigger.filter.${field}`]}
                    onChange={(filter, run) =>
                      edit({ trigger: { ...draft.trigger, filter } }, run === null ? null : `trigger ${run}`)
                    }
                  />
                </>
              )}
              <div className={styles["pairs"]}>
                <p className={styles["label"]}>{texts.stopEvents}</p>
                <ValuesInput
                  fieldKey="events"
                  label={texts.stopEvents}
                  isInvalid={Object.keys(fields).some((field) => field.startsWith("stopEvents"))}
                  values={names}
                  onChange={(next) =>
                    edit({
                      stopEvents: next.map(
                        (name) => draft.stopEvents.find((event) => event.name === name) ?? { name }
                      )
                    })
                  }
                />
              </div>
              {draft.stopEvents.map((event, at) => (
                <RulesField
                  key={event.name}
                  isOptional
                  label={texts.stopFilter(event.name)}
                  parts={eventParts(parts)}
                  definition={(event.filter ?? null) as Definition | null}
                  errorOf={(field) => fields[`stopEvents[${at}].filter.${field}`]}
                  onChange={(filter, run) =>
                    edit(
                      { stopEvents: draft.stopEvents.with(at, { ...event, filter }) },
                      run === null ? null : `stop ${at} ${run}`
                    )
                  }
                />
              ))}
            </Fields>
          </Section>
          <Simulate
            flowId={flow.id}
            isChanged={isChanged}
            names={stepNames(steps, texts.kinds, details)}
            whenSaved={whenSaved}
            shown={simulated}
            onShow={(next) => {
              setSimulated(next)
              follow(canvas)
            }}
          />
        </div>
      </div>
      <LeaveGuard isChanged={() => isChanged} />
      {isPublishing && (
        <PublishDialog
          flowId={flow.id}
          version={flow.version}
          trigger={draft.trigger}
          stopEvents={draft.stopEvents}
          steps={steps}
          onClose={() => setPublishing(false)}
          onPublished={onPublished}
        />
      )}
    </div>
  )
}

const route = getRouteApi("/shell/a/$accountId/flows/$flowId/edit")

/** The screen. */
export const FlowEditor = () => {
  const { flows } = useTexts()
  const { flow: texts } = useEditorTexts()
  const { accountId, flowId } = route.useParams()
  const query = useTagged(oneRoute, { params: { accountId, id: flowId } })
  const parts = useApi("GET /accounts/:accountId/segments/fields", { params: { accountId } })
  const known = useMemo(() => (parts.data === undefined ? null : withProperties(parts.data)), [parts.data])
  const name = query.data?.value.name
  return (
    <Page
      title={name === undefined ? flows.name : texts.title(name)}
      back={{
        link: { to: "/a/$accountId/flows/$flowId", params: { accountId, flowId } },
        label: name ?? flows.name
      }}
    >
      <Loaded thing="Flow" query={query}>
        {({ etag, value }) => (
          <Loaded query={parts}>
            {() =>
              known !== null && (
                // A newly published version is what is edited from then on.
                <Editor
                  key={value.version}
                  flow={value}
                  etag={etag}
                  parts={known}
                  onPublished={() => void query.refetch()}
                />
              )
            }
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}
