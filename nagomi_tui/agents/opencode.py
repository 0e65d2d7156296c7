"""What nagomi knows of opencode of SST: its hooks, and how it resumes."""

from __future__ import annotations

from typing import Final

from nagomi_tui.agents.agent import Agent, Hooks, Resume

_PLUGIN: Final = """\
// Tells nagomi how opencode stands; `nagomi hooks remove` takes it away.
import { spawn } from "node:child_process"

const COMMAND = @json:@
const children = new Set()
const states = new Map()

const tell = (name, id, more = {}) => {
  if (!process.env["NAGOMI_SESSION_ID"]) return
  const event = { hook_event_name: name, session_id: id, cwd: process.cwd(), ...more }
  const child = spawn("/bin/sh", ["-c", COMMAND], { stdio: ["pipe", "ignore", "ignore"] })
  child.on("error", () => {})
  child.stdin.on("error", () => {})
  child.stdin.end(JSON.stringify(event))
}

const went = (id, state, name, more) => {
  if (states.get(id) === state) return
  states.set(id, state)
  tell(name, id, more)
}

// It rests after a refusal and a break, too: the screen tells them apart. An error is told right
// before or after the rest that it leads to.
const rested = (id) => setTimeout(() => {
  if (states.get(id) === "busy") went(id, "ended", "TurnEnd")
}, 200)

const message = (error) => String(error?.data?.message ?? error?.message ?? error?.name ?? "")

const read = ({ type, properties = {} }) => {
  const info = properties.info ?? {}
  const id = properties.sessionID ?? info.id ?? ""
  if (type === "session.created" && info.parentID) children.add(info.id)
  const asks = type === "permission.asked" || type === "question.asked"
  if (!id || (children.has(id) && !asks)) return
  if (asks) tell(type === "question.asked" ? "Elicitation" : "PermissionRequest", id)
  if (/^(permission|question)\\.(replied|rejected)$/.test(type)) tell("ElicitationResult", id)
  if (type === "session.status" && properties.status?.type === "busy") {
    went(id, "busy", "UserPromptSubmit")
  }
  if (type === "session.error") {
    const error = properties.error ?? {}
    const broken = error.name === "MessageAbortedError"
    went(id, "failed", broken ? "Interrupt" : "StopFailure", { error: message(error) })
  }
  if (type === "session.idle") rested(id)
}

export const Nagomi = async () => ({
  event: async ({ event }) => {
    try {
      read(event)
    } catch {}
  },
  "tool.execute.before": async ({ tool, sessionID, callID }) => {
    const more = { tool_name: tool, tool_use_id: callID }
    if (!children.has(sessionID)) tell("PreToolUse", sessionID, more)
  },
  "tool.execute.after": async ({ tool, sessionID, callID }) => {
    const more = { tool_name: tool, tool_use_id: callID }
    if (!children.has(sessionID)) tell("PostToolUse", sessionID, more)
  },
})
"""

OPENCODE: Final = Agent(
    name="opencode",
    title="opencode",
    hooks=Hooks(
        home_variable="XDG_CONFIG_HOME",
        home=".config",
        file="opencode/plugin/nagomi.js",
        project_file=".opencode/plugin/nagomi.js",
        events=(),
        form="file",
        text=_PLUGIN,
    ),
    resume=Resume(
        words=("-s",),
        one=frozenset(
            [
                "-m", "--model", "-s", "--session", "--prompt", "--agent", "--port", "--hostname",
                "--log-level", "--mdns-domain", "--cors",
            ]
        ),
        dropped=frozenset(["-s", "--session", "-c", "--continue", "--prompt", "--fork"]),
        elsewhere=frozenset(
            ["run", "serve", "web", "attach", "acp", "auth", "models", "upgrade", "github", "mcp"]
        ),
    ),
    first_message=("--prompt",),
    child_marks=("OPENCODE", "OPENCODE_PID"),
)  # fmt: skip
