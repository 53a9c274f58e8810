// Codex's two dialects: every visible thing is written twice and shown once. Source: agent-transcripts, section 2.3.
import Agent
import Desktops
import Testing

private func event(_ payload: String) -> String {
    #"{"timestamp":"2026-11-21T09:00:00.100Z","type":"event_msg","payload":\#(payload)}"#
}
private func response(_ payload: String) -> String { #"{"type":"response_item","payload":\#(payload)}"# }
private let paginated = #"{"type":"session_meta","payload":{"id":"t","cwd":"/p","history_mode":"paginated"}}"#
private let classic = #"{"type":"session_meta","payload":{"id":"t","cwd":"/p"}}"#

@Suite("Codex's records")
struct CodexTests {
    @Test func `the classic dialect takes words from events and tools from responses`() {
        let index = read(
            .codex,
            classic,
            event(#"{"type":"user_message","message":"hi"}"#),
            response(#"{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}"#),
            event(#"{"type":"agent_message","message":"yes"}"#),
            response(#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"}]}"#),
            response(#"{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c"}"#),
            response(
                #"{"type":"function_call_output","call_id":"c","output":"Process exited with code 0\nOutput:\nx"}"#
            )
        )
        #expect(index.counts() == [.user: 1, .assistant: 1, .tool: 1, .output: 1])
    }

    @Test func `a file without events takes words from responses`() throws {
        let scratch = Scratch()
        let path = scratch.write(
            [
                classic,
                response(
                    #"{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"}]}"#
                ),
                response(#"{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}"#),
                response(#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"}]}"#),
            ].joined(separator: "\n") + "\n",
            to: "r.jsonl"
        )
        #expect(try blocks(of: path, agent: .codex).map(\.text) == ["hi", "yes"])
        #expect(TranscriptIndex.reading(path, agent: .codex)?.counts() == [.user: 1, .assistant: 1])
    }

    @Test func `events that come late are believed`() throws {
        let scratch = Scratch()
        let path = scratch.write(
            [
                classic, response(#"{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}"#),
                response(#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"}]}"#),
                event(#"{"type":"user_message","message":"again"}"#),
                event(#"{"type":"agent_message","message":"sure"}"#),
            ].joined(separator: "\n") + "\n",
            to: "r.jsonl"
        )
        #expect(try blocks(of: path, agent: .codex).map(\.text) == ["again", "sure"])
    }

    @Test func `bare records of the oldest rollouts are read`() {
        let index = read(
            .codex,
            #"{"id":"t","timestamp":"2025-05-01T00:00:00.000Z","instructions":null}"#,
            #"{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}"#
        )
        #expect(index.counts() == [.tool: 1])
        #expect(index.facts.sessionID == "t")
    }

    @Test(
        "an item is the output of its call, whichever comes first",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2]]
    )
    func items(order: [Int]) throws {
        let records = [
            response(
                #"{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"false\"}","call_id":"c"}"#
            ),
            event(
                #"{"type":"item_completed","item":{"type":"CommandExecution","id":"c","command":["/bin/bash","-lc","false"],"status":"failed","aggregated_output":"whole","exit_code":3}}"#
            ),
            response(
                #"{"type":"function_call_output","call_id":"c","output":"Process exited with code 3\nOutput:\ncut"}"#
            ),
        ]
        let scratch = Scratch()
        let path = scratch.write(
            ([paginated] + order.map { records[$0] }).joined(separator: "\n") + "\n",
            to: "r.jsonl"
        )
        let page = try blocks(of: path, agent: .codex)
        #expect(Dictionary(grouping: page, by: \.kind).mapValues(\.count) == [.tool: 1, .output: 1, .error: 1])
        #expect(page.first { $0.kind == .output }?.text == "whole")
        #expect(page.first { $0.kind == .tool }?.state == .failed)
        #expect(page.first { $0.kind == .tool }?.command == "false")
    }

    @Test func `a patch without an event shows what it says`() throws {
        let scratch = Scratch()
        let path = scratch.write(
            [
                classic,
                response(
                    #"{"type":"custom_tool_call","call_id":"c","name":"apply_patch","input":"*** Begin Patch\n*** Update File: a.rs\n@@\n-a\n+b\n*** End Patch\n"}"#
                ),
                response(
                    #"{"type":"custom_tool_call_output","call_id":"c","output":"Exit code: 0\nOutput:\nSuccess."}"#
                ),
            ].joined(separator: "\n") + "\n",
            to: "r.jsonl"
        )
        let page = try blocks(of: path, agent: .codex)
        #expect(page.map(\.kind) == [.tool, .output, .edit])
        #expect(page[1].text == "Success.")
        #expect(page[2].path == "a.rs")
        #expect(page[2].patch == "@@\n-a\n+b\n")
    }

    @Test func `one edit per changed file, with renames`() throws {
        let scratch = Scratch()
        let path = scratch.write(
            paginated + "\n"
                + event(
                    #"{"type":"item_completed","item":{"type":"FileChange","id":"c","status":"completed","stdout":"ok","changes":{"/p/n":{"type":"add","content":"hi\n"},"/p/a":{"type":"update","unified_diff":"@@ -1 +1 @@\n-a\n+b\n","move_path":"/p/b"},"/p/d":{"type":"delete","content":"x\n"}}}}"#
                )
                + "\n",
            to: "r.jsonl"
        )
        let edits = try blocks(of: path, agent: .codex).filter { $0.kind == .edit }
        #expect(edits.map(\.path) == ["/p/n", "/p/b", "/p/d"])
        #expect(edits.map(\.oldPath) == [nil, "/p/a", nil])
        #expect(edits.map(\.patch) == ["@@ -0,0 +1,1 @@\n+hi\n", "@@ -1 +1 @@\n-a\n+b\n", "@@ -1,1 +0,0 @@\n-x\n"])
    }

    @Test func `turns that were rolled back are marked`() throws {
        let scratch = Scratch()
        let path = scratch.write(
            [
                classic, event(#"{"type":"user_message","message":"one"}"#),
                event(#"{"type":"agent_message","message":"1"}"#),
                event(#"{"type":"user_message","message":"two"}"#), event(#"{"type":"agent_message","message":"2"}"#),
                event(#"{"type":"thread_rolled_back","num_turns":1}"#),
                event(#"{"type":"user_message","message":"three"}"#),
            ].joined(separator: "\n") + "\n",
            to: "r.jsonl"
        )
        #expect(try blocks(of: path, agent: .codex).filter(\.isRewound).map(\.text) == ["two", "2"])
    }

    @Test func `update_plan is a list`() throws {
        let scratch = Scratch()
        let path = scratch.write(
            response(
                #"{"type":"function_call","name":"update_plan","arguments":"{\"plan\":[{\"step\":\"look\",\"status\":\"completed\"},{\"step\":\"édit ✓\",\"status\":\"in_progress\"}]}","call_id":"c"}"#
            )
                + "\n",
            to: "r.jsonl"
        )
        let page = try blocks(of: path, agent: .codex)
        #expect(page.map(\.kind) == [.tool, .todo])
        #expect(page[1].items == [TodoItem(text: "look", state: .done), TodoItem(text: "édit ✓", state: .active)])
    }
}
