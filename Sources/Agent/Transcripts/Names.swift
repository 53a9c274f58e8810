// The names in transcripts that mean something to us, as numbers to switch over. What is not here is unknown and is shown as
// such. Sources: agent-transcripts, sections 1.2, 1.3, 2.2 and 2.3.

enum Names {
    // MARK: Members
    static let type = Key("type"), uuid = Key("uuid"), parentUuid = Key("parentUuid"), timestamp = Key("timestamp")
    static let sessionId = Key("sessionId"), isSidechain = Key("isSidechain"), isMeta = Key("isMeta")
    static let isCompactSummary = Key("isCompactSummary"), isApiErrorMessage = Key("isApiErrorMessage")
    static let isAbortedMidStream = Key("isAbortedMidStream"), forkedFrom = Key("forkedFrom")
    static let message = Key("message"), toolUseResult = Key("toolUseResult"), subtype = Key("subtype")
    static let cwd = Key("cwd"), version = Key("version"), gitBranch = Key("gitBranch"), content = Key("content")
    static let error = Key("error"), level = Key("level"), formatted = Key("formatted"), cause = Key("cause")
    static let id = Key("id"), model = Key("model"), usage = Key("usage"), stopReason = Key("stop_reason")
    static let text = Key("text"), thinking = Key("thinking"), name = Key("name"), input = Key("input"),
        role = Key("role")
    static let toolUseId = Key("tool_use_id"), isError = Key("is_error"), source = Key("source"), data = Key("data")
    static let mediaType = Key("media_type"), base64 = Key("base64"), file = Key("file"), url = Key("url")
    static let structuredPatch = Key("structuredPatch"), filePath = Key("filePath"), file_path = Key("file_path")
    static let oldString = Key("old_string"), newString = Key("new_string"), edits = Key("edits")
    static let oldStart = Key("oldStart"), oldLines = Key("oldLines"), newStart = Key("newStart")
    static let newLines = Key("newLines"), linesOfHunk = Key("lines"), notebookPath = Key("notebook_path")
    static let newSource = Key("new_source")
    static let stdout = Key("stdout"), stderr = Key("stderr"), persistedOutputPath = Key("persistedOutputPath")
    static let agentId = Key("agentId"), isAsync = Key("isAsync"), status = Key("status"), plan = Key("plan")
    static let description = Key("description"), prompt = Key("prompt"), subagentType = Key("subagent_type")
    static let todos = Key("todos"), activeForm = Key("activeForm"), task = Key("task"), tasks = Key("tasks")
    static let taskId = Key("taskId"), statusChange = Key("statusChange"), to = Key("to"), from = Key("from")
    static let subject = Key("subject"), command = Key("command"), path = Key("path"), pattern = Key("pattern")
    static let query = Key("query"), title = Key("title"), stepText = Key("step")
    static let customTitle = Key("customTitle"), aiTitle = Key("aiTitle"), agentName = Key("agentName")
    static let lastPrompt = Key("lastPrompt"), summary = Key("summary"), leafUuid = Key("leafUuid")
    static let inputTokens = Key("input_tokens"), outputTokens = Key("output_tokens")
    static let cacheRead = Key("cache_read_input_tokens"), cacheWrite = Key("cache_creation_input_tokens")
    static let cachedInput = Key("cached_input_tokens"), totalCostUSD = Key("totalCostUSD")
    static let payload = Key("payload"), item = Key("item"), callId = Key("call_id"), arguments = Key("arguments")
    static let output = Key("output"), images = Key("images"), localImages = Key("local_images"),
        imageURL = Key("image_url")
    static let info = Key("info"), totalUsage = Key("total_token_usage"), lastUsage = Key("last_token_usage")
    static let summaryText = Key("summary_text"), rawContent = Key("raw_content"), aggregated = Key("aggregated_output")
    static let exitCode = Key("exit_code"), exitCodeItem = Key("exitCode"), changes = Key("changes")
    static let unifiedDiff = Key("unified_diff"), movePath = Key("move_path"), success = Key("success")
    static let invocation = Key("invocation"), server = Key("server"), tool = Key("tool"), result = Key("result")
    static let ok = Key("Ok"), err = Key("Err"), metadata = Key("metadata"), reason = Key("reason"),
        action = Key("action")
    static let cliVersion = Key("cli_version"), git = Key("git"), branch = Key("branch"),
        historyMode = Key("history_mode")
    static let historyBase = Key("history_base"), threadId = Key("thread_id"), forkedFromId = Key("forked_from_id")
    static let subagent = Key("subagent"), threadSpawn = Key("thread_spawn"), parentThread = Key("parent_thread_id")
    static let spawnCall = Key("spawn_call_id"), nickname = Key("agent_nickname"), taskName = Key("task_name")
    static let receivers = Key("receiver_thread_ids"), agent_id = Key("agent_id"), cmd = Key("cmd"),
        explanation = Key("explanation")
    static let numTurns = Key("num_turns"), agentThreadId = Key("agent_thread_id"), contentItems = Key("content_items")
    static let fragments = Key("fragments"), savedPath = Key("saved_path"), namespace = Key("namespace"),
        instructions = Key("instructions")

    // MARK: Records of Claude Code
    static let user = Key("user"), assistant = Key("assistant"), system = Key("system"), attachment = Key("attachment")
    static let customTitleRecord = Key("custom-title"), aiTitleRecord = Key("ai-title"),
        agentNameRecord = Key("agent-name")
    static let lastPromptRecord = Key("last-prompt"), costState = Key("cost-state"),
        queueOperation = Key("queue-operation")
    /// Bookkeeping that shows nothing.
    static let claudeSilent: Set<Key> = [
        attachment, Key("queue-operation"), Key("file-history-snapshot"), Key("mode"), Key("permission-mode"),
        Key("tools-used"), Key("atis-latch"), Key("api-request"), Key("api-request-shape"), Key("api-request-blob"),
        Key("agent-setting"), Key("agent-color"), Key("pr-link"), Key("progress"), Key("started"), Key("result"),
        Key("tag"),
        Key("worktree-state"), Key("content-replacement"), Key("file-history-delta"), Key("bridge-session"),
    ]
    static let claudeTitles: Set<Key> = [
        customTitleRecord, aiTitleRecord, agentNameRecord, lastPromptRecord, summary, costState,
    ]
    static let claudeRecords: Set<Key> = claudeSilent.union(claudeTitles).union([user, assistant, system])

    // MARK: Parts of messages
    static let toolUse = Key("tool_use"), toolResult = Key("tool_result"), image = Key("image"),
        document = Key("document")
    static let toolReference = Key("tool_reference")

    // MARK: Records of Codex
    static let sessionMeta = Key("session_meta"), turnContext = Key("turn_context"), responseItem = Key("response_item")
    static let eventMsg = Key("event_msg"), compacted = Key("compacted")
    static let codexSilent: Set<Key> = [
        Key("world_state"), Key("token_usage_record"), Key("thread_settings_applied"), Key("ghost_snapshot"),
        Key("inter_agent_communication"),
    ]
    static let codexRecords: Set<Key> = codexSilent.union([sessionMeta, turnContext, responseItem, eventMsg, compacted])

    // MARK: response_item
    static let functionCall = Key("function_call"), functionOutput = Key("function_call_output")
    static let customCall = Key("custom_tool_call"), customOutput = Key("custom_tool_call_output")
    static let localShellCall = Key("local_shell_call"), webSearchCall = Key("web_search_call")
    static let imageCall = Key("image_generation_call"), toolSearchCall = Key("tool_search_call")
    static let toolSearchOutput = Key("tool_search_output")
    static let responseSilent: Set<Key> = [
        Key("reasoning"), Key("compaction"), Key("compaction_summary"), Key("compaction_trigger"),
        Key("context_compaction"),
        Key("ghost_snapshot"), Key("additional_tools"), Key("agent_message"),
    ]

    // MARK: event_msg
    static let userMessage = Key("user_message"), agentMessage = Key("agent_message"),
        agentReasoning = Key("agent_reasoning")
    static let tokenCount = Key("token_count"), taskStarted = Key("task_started"), turnStarted = Key("turn_started")
    static let taskComplete = Key("task_complete"), turnComplete = Key("turn_complete"),
        turnAborted = Key("turn_aborted")
    static let patchApplyEnd = Key("patch_apply_end"), mcpEnd = Key("mcp_tool_call_end"),
        webSearchEnd = Key("web_search_end")
    static let execEnd = Key("exec_command_end"), imageEnd = Key("image_generation_end"),
        rolledBack = Key("thread_rolled_back")
    static let enteredReview = Key("entered_review_mode"), exitedReview = Key("exited_review_mode")
    static let itemCompleted = Key("item_completed"), warning = Key("warning"), streamError = Key("stream_error")
    static let eventSilent: Set<Key> = [
        Key("context_compacted"), Key("agent_reasoning_raw_content"), Key("agent_reasoning_section_break"),
        Key("agent_message_delta"), Key("agent_reasoning_delta"), Key("agent_reasoning_raw_content_delta"),
        Key("agent_message_content_delta"), Key("reasoning_content_delta"), Key("reasoning_raw_content_delta"),
        Key("plan_delta"), Key("plan_update"), Key("session_configured"), Key("thread_name_updated"),
        Key("thread_settings_applied"), Key("thread_goal_updated"), Key("mcp_startup_update"),
        Key("mcp_startup_complete"),
        Key("mcp_tool_call_begin"), Key("web_search_begin"), Key("image_generation_begin"), Key("exec_command_begin"),
        Key("exec_command_output_delta"), Key("terminal_interaction"), Key("view_image_tool_call"),
        Key("exec_approval_request"), Key("request_permissions"), Key("request_user_input"), Key("elicitation_request"),
        Key("apply_patch_approval_request"), Key("dynamic_tool_call_request"), Key("dynamic_tool_call_response"),
        Key("patch_apply_begin"), Key("patch_apply_updated"), Key("turn_diff"), Key("background_event"),
        Key("deprecation_notice"), Key("item_started"), Key("hook_started"), Key("hook_completed"),
        Key("shutdown_complete"),
        Key("raw_response_item"), Key("sub_agent_activity"), Key("model_reroute"), Key("model_verification"),
        Key("turn_moderation_metadata"), Key("guardian_assessment"), Key("guardian_warning"), Key("safety_buffering"),
        Key("collab_agent_spawn_begin"), Key("collab_agent_spawn_end"), Key("collab_agent_interaction_begin"),
        Key("collab_agent_interaction_end"), Key("collab_waiting_begin"), Key("collab_waiting_end"),
        Key("collab_close_begin"), Key("collab_close_end"), Key("collab_resume_begin"), Key("collab_resume_end"),
        Key("undo_started"), Key("undo_completed"), Key("skills_update_available"),
    ]

    // MARK: Items of paginated Codex
    static let itemUser = Key("UserMessage"), itemAgent = Key("AgentMessage"), itemReasoning = Key("Reasoning")
    static let itemCommand = Key("CommandExecution"), itemFileChange = Key("FileChange"), itemMcp = Key("McpToolCall")
    static let itemWebSearch = Key("WebSearch"), itemPlan = Key("Plan"), itemDynamic = Key("DynamicToolCall")
    static let itemCollab = Key("CollabAgentToolCall"), itemImageGeneration = Key("ImageGeneration")
    static let itemReviewStart = Key("EnteredReviewMode"), itemReviewEnd = Key("ExitedReviewMode")
    static let itemHook = Key("HookPrompt")
    static let itemSilent: Set<Key> = [
        Key("ImageView"), Key("ContextCompaction"), Key("SubAgentActivity"), Key("Sleep"),
    ]
}

extension Key: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
