/**
 * Shows every component in each of its states, for work on the design. It exists only in development, so its texts are only in
 * English.
 *
 * @module
 */
import { useState } from "react"
import { ApiError } from "../../api/errors.ts"
import { Button, type ButtonTone, IconButton } from "../../parts/form/Button.tsx"
import { Choices } from "../../parts/form/Choices.tsx"
import {
  Checkbox,
  Field,
  Fields,
  Input,
  PasswordInput,
  Select,
  Switch,
  TextArea
} from "../../parts/form/Field.tsx"
import { Entries } from "../../parts/list/Entries.tsx"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { ConfirmDialog, Dialog } from "../../parts/overlay/Dialog.tsx"
import { Menu, MenuChoice, MenuItem, MenuLine } from "../../parts/overlay/Menu.tsx"
import { SecretDialog } from "../../parts/overlay/SecretDialog.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { iconNames } from "../../lib/icons.ts"
import { Icon } from "../../parts/page/Icon.tsx"
import { Columns, Entry, Figures } from "../../parts/page/Columns.tsx"
import { LinkTabs } from "../../parts/page/LinkTabs.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { EmptyState, LoadingLines } from "../../parts/page/Empty.tsx"
import { Card, Facts, Page, Section } from "../../parts/page/Page.tsx"
import { Tabs } from "../../parts/page/Tabs.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Bar } from "../../parts/show/Bar.tsx"
import { Chart, Sparkline } from "../../parts/show/Chart.tsx"
import { Code, CodeSample, SecretOnce } from "../../parts/show/Code.tsx"
import { CopyButton } from "../../parts/show/CopyButton.tsx"
import { Diff } from "../../parts/show/Diff.tsx"
import { Funnel } from "../../parts/show/Funnel.tsx"
import { Progress } from "../../parts/show/Progress.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { Table } from "../../parts/show/Table.tsx"
import { useTexts } from "../../app/reader.tsx"
import styles from "./Parts.module.css"

const tones: ReadonlyArray<ButtonTone> = ["primary", "plain", "quiet", "danger"]

const values = Array.from({ length: 30 }, (_, at) => Math.round(400 + 300 * Math.sin(at / 3) + at * 9))

interface Row {
  readonly id: number
}

const rows = Array.from({ length: 10_000 }, (_, id): Row => ({ id }))

const columns: ReadonlyArray<Column<Row>> = [
  { key: "name", head: "Name", width: "2fr", sort: "name", cell: ({ id }) => `person-${id}@example.org` },
  {
    key: "state",
    head: "State",
    width: "1fr",
    narrow: "end",
    cell: ({ id }) => (
      <Badge tone={id % 3 === 0 ? "good" : "neutral"}>{id % 3 === 0 ? "Delivered" : "Queued"}</Badge>
    )
  },
  { key: "time", head: "Time", width: "8rem", narrow: "second", isEnd: true, cell: () => "2 hours ago" }
]

const stateOf = (state: string) => ({
  items: state === "full" ? rows : [],
  total: state === "loading" ? null : { count: state === "full" ? rows.length : 0, isExact: true },
  isLoading: state === "loading",
  error:
    state === "error"
      ? new ApiError({ status: 503, code: "common.unavailable", message: "Unavailable", requestId: "3f1a" })
      : null,
  hasMore: false,
  loadMore: () => undefined,
  reload: () => undefined
})

const earlier = new Date(Date.now() - 7_200_000).toISOString()

const states = ["full", "loading", "empty", "filtered", "error"]

/** The page. */
export const Parts = () => {
  const { parts } = useTexts()
  const [tab, setTab] = useState("full")
  const [search, setSearch] = useState<Readonly<Record<string, string | undefined>>>({})
  const [sort, setSort] = useState<string | undefined>()
  const [open, setOpen] = useState<"dialog" | "confirm" | "secret" | null>(null)
  const [theme, setTheme] = useState("a")
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(["a"]))
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set(["1"]))
  return (
    <main className={styles["scroll"]}>
      <Page
        title={parts.title}
        badge={<Badge tone="accent">development</Badge>}
        text="Every component, in each state."
      >
        <Section title="Buttons">
          {tones.map((tone) => (
            <div key={tone} className={styles["row"]}>
              <Button tone={tone}>{tone}</Button>
              <Button tone={tone} icon="plus">
                With icon
              </Button>
              <Button tone={tone} isBusy>
                Busy
              </Button>
              <Button tone={tone} disabled>
                Disabled
              </Button>
              <Button tone={tone} isSmall>
                Small
              </Button>
              <IconButton tone={tone} icon="more" label="More" />
            </div>
          ))}
        </Section>
        <Section title="Fields">
          <Fields>
            <Field label="Text" hint="A hint in one sentence.">
              <Input defaultValue="Ada" />
            </Field>
            <Field label="With an error" error="email must be an address.">
              <Input defaultValue="ada@" />
            </Field>
            <Field label="Password">
              <PasswordInput defaultValue="secret" />
            </Field>
            <Field label="Several lines" isOptional>
              <TextArea />
            </Field>
            <Field label="Choice">
              <Select
                options={[
                  { value: "a", label: "One" },
                  { value: "b", label: "Two" }
                ]}
              />
            </Field>
            <Field label="Read only">
              <Input readOnly value="ada@example.org" />
            </Field>
            <Checkbox label="A box" hint="It applies when the form is saved." defaultChecked />
            <Switch label="A switch" hint="It changes at once." defaultChecked />
            <Switch label="Off" />
          </Fields>
        </Section>
        <Section title="Badges, times, icons">
          <div className={styles["row"]}>
            <Badge tone="good">Delivered</Badge>
            <Badge tone="warning">Deferred</Badge>
            <Badge tone="bad">Bounced</Badge>
            <Badge>Queued</Badge>
            <Badge tone="accent">New</Badge>
            <RelativeTime at={earlier} />
            <RelativeTime at={earlier} form="moment" />
            <CopyButton value="copied" />
            <CopyButton value="copied" label="Copy the key" />
          </div>
          <div className={styles["row"]}>
            {iconNames.map((name) => (
              <span key={name} title={name}>
                <Icon name={name} />
              </span>
            ))}
          </div>
        </Section>
        <Section title="Banners">
          <Banner>Something to know.</Banner>
          <Banner tone="good">Something that worked.</Banner>
          <Banner tone="warning" action={<Button isSmall>Change</Button>}>
            Something to look at.
          </Banner>
          <ErrorBanner
            error={new ApiError({ status: 503, code: "common.unavailable", message: "", requestId: "3f1a" })}
            onRetry={() => undefined}
          />
          <ErrorBanner
            error={
              new ApiError({
                status: 409,
                code: "users.last_owner",
                message: "A company must have an active Owner."
              })
            }
          />
        </Section>
        <Section title="Overlays">
          <div className={styles["row"]}>
            <Button onClick={() => setOpen("dialog")}>Dialog</Button>
            <Button tone="danger" onClick={() => setOpen("confirm")}>
              Confirmation
            </Button>
            <Button onClick={() => setOpen("secret")}>Secret</Button>
            <Menu trigger={<Button iconAfter="down">Menu</Button>}>
              <MenuItem icon="copy" onSelect={() => undefined}>
                Copy
              </MenuItem>
              <MenuItem icon="trash" isDanger onSelect={() => undefined}>
                Delete
              </MenuItem>
              <MenuLine />
              <MenuChoice
                label="Choice"
                value={theme}
                onChange={setTheme}
                options={[
                  { value: "a", label: "One" },
                  { value: "b", label: "Two" }
                ]}
              />
            </Menu>
            <Button onClick={() => toast("Saved")}>Toast</Button>
            <Button onClick={() => toast("Key revoked", { undo: () => toast("Key restored") })}>
              Toast with Undo
            </Button>
            <Button onClick={() => toast("The key could not be revoked.", { tone: "bad" })}>Bad toast</Button>
          </div>
        </Section>
        <Section title="Charts">
          <Sparkline values={values} label="Emails a day" />
          <Bar most={100} parts={{ good: 60, warning: 5, bad: 3, neutral: 2 }} />
          <Chart
            title="Emails by day"
            head="Day"
            labels={values.map((_, at) => `Nov ${at + 1}`)}
            series={[
              { name: "Delivered", values },
              { name: "Bounced", tone: "bad", values: values.map((value) => Math.round(value / 9)) }
            ]}
          />
        </Section>
        <Section title="Code">
          <Code>{`curl -sS https://mail.example.com/api/v1/sending/emails -H 'Authorization: Bearer svc_test_...'`}</Code>
          <CodeSample
            label="Samples"
            samples={[
              { name: "curl", code: "curl ..." },
              { name: "Node", code: "await svc.sending.send({})" }
            ]}
          />
          <SecretOnce label="Key" secret="svc_test_3xampl3" note="The key is shown this once." />
        </Section>
        <Section title="Choices and progress">
          <Choices
            label="Events"
            values={chosen}
            onChange={setChosen}
            options={[
              { value: "a", label: "Delivered", hint: "The server accepted it." },
              { value: "b", label: "Bounced" }
            ]}
          />
          <Choices
            label="With an error"
            error="Choose at least one."
            values={new Set()}
            onChange={() => undefined}
            options={[{ value: "a", label: "Delivered" }]}
          />
          <Progress label="Import" share={0.4} text="400 of 1,000" />
          <Funnel
            steps={[
              { key: "sent", name: "Submitted", count: 1_000 },
              { key: "opened", name: "Opened", count: 420, note: "and 90 by machines" },
              { key: "clicked", name: "Clicked", count: 0 }
            ]}
          />
        </Section>
        <Section title="Tables and comparisons">
          <Table
            label="Providers"
            keyOf={({ name }) => name}
            rows={[
              { name: "Gmail", sent: "1,204" },
              {
                name: "A name so long that it takes the second line of its cell where the window is narrow",
                sent: "3"
              }
            ]}
            columns={[
              { key: "name", head: "Provider", cell: ({ name }) => name },
              { key: "sent", head: "Sent", isEnd: true, cell: ({ sent }) => sent }
            ]}
          />
          <Diff label="Versions" before={"Hello\nGood bye"} after={"Hello Ada\nGood bye"} />
        </Section>
        <Section title="Two columns">
          <LinkTabs
            label="Screens"
            items={[
              { key: "a", label: "This one", link: { to: "/_parts" }, isCurrent: true },
              { key: "b", label: "Another", link: { to: "/_parts" }, isCurrent: false }
            ]}
          />
          <Columns
            aside={
              <Section title="Details">
                <Figures
                  figures={[
                    { name: "Selected", value: "120" },
                    { name: "Reachable", value: "60" }
                  ]}
                />
              </Section>
            }
          >
            <Section title="Entries" actions={<Button isSmall>Change</Button>}>
              <Entries list={{ ...stateOf("full"), items: rows.slice(0, 2), hasMore: true }} empty="">
                {({ id }) => (
                  <Entry key={id} text="With more about it." end={<RelativeTime at={earlier} />}>
                    {`person-${id}@example.org`}
                    <Badge tone="good">Delivered</Badge>
                  </Entry>
                )}
              </Entries>
              <Entries list={stateOf("loading")} empty="">
                {() => null}
              </Entries>
              <Entries list={stateOf("empty")} empty="No email was sent to them yet.">
                {() => null}
              </Entries>
              <Entries list={stateOf("error")} empty="">
                {() => null}
              </Entries>
            </Section>
          </Columns>
        </Section>
        <Section title="What was read">
          {[
            { data: undefined, error: null },
            { data: undefined, error: stateOf("error").error },
            { data: undefined, error: new ApiError({ status: 404, code: "common.not_found", message: "" }) }
          ].map((query) => (
            <Card key={query.error?.code ?? "loading"}>
              <Loaded thing="Email" query={{ ...query, refetch: () => undefined }}>
                {() => null}
              </Loaded>
            </Card>
          ))}
        </Section>
        <Section title="Content">
          <Card>
            <Facts
              facts={[
                ["From", "ada@example.org"],
                ["Template", "–"]
              ]}
            />
          </Card>
          <Card>
            <LoadingLines />
          </Card>
          <EmptyState title="No emails yet" action={<Button tone="primary">Send the first</Button>}>
            They appear here as soon as one is submitted.
          </EmptyState>
        </Section>
        <Section title="List">
          <Tabs
            label="States"
            value={tab}
            onChange={setTab}
            tabs={states.map((value) => ({ value, label: value }))}
          />
          <div className={styles["list"]}>
            <FilterBar
              search={search}
              onChange={setSearch}
              placeholder="Search"
              filters={[
                {
                  key: "state",
                  label: "State",
                  options: [
                    { value: "a", label: "Delivered" },
                    { value: "b", label: "Queued" }
                  ]
                }
              ]}
            />
            <List
              label="People"
              list={stateOf(tab)}
              columns={columns}
              keyOf={({ id }) => String(id)}
              linkOf={() => ({ to: "/_parts" })}
              selection={{ keys: selected, onChange: setSelected, nameOf: ({ id }) => `person-${id}` }}
              sort={sort}
              onSort={setSort}
              isFiltered={tab === "filtered"}
              onReset={() => setTab("full")}
              empty={<EmptyState title="Nothing yet">It appears here.</EmptyState>}
            />
          </div>
        </Section>
      </Page>
      <Dialog
        isOpen={open === "dialog"}
        onClose={() => setOpen(null)}
        title="A dialog"
        text="With a sentence under its title."
        actions={
          <>
            <Button onClick={() => setOpen(null)}>Cancel</Button>
            <Button tone="primary">Save</Button>
          </>
        }
      >
        <Field label="Name">
          <Input />
        </Field>
      </Dialog>
      <ConfirmDialog
        isOpen={open === "confirm"}
        onClose={() => setOpen(null)}
        onConfirm={() => setOpen(null)}
        title="Erase a person"
        text="Erases 1 person: 14 emails, 2 runs, 3 orders; they can sign up again."
        action="Erase"
        name="ada@example.org"
      />
      {open === "secret" && (
        <SecretDialog
          title="Key created"
          label="Key"
          secret="svc_test_3xampl3"
          note="The key is shown this once."
          onClose={() => setOpen(null)}
        />
      )}
    </main>
  )
}
