//! Tells the stories with the client of rmcp: `mcp-elicit-verify-rmcp STORIES REACH`.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationCapability, ErrorData, FormElicitationCapability,
    ProtocolVersion, UrlElicitationCapability,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, RequestContext, RoleClient, ServiceError,
};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use serde_json::{Value, json};

type Error = Box<dyn std::error::Error>;

/// Answers what it is asked, as the story says.
#[derive(Clone)]
struct User {
    story: Value,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    asked: Vec<String>,
    used: Vec<usize>,
}

impl User {
    fn answer(&self, request: &ElicitRequestParams) -> Option<ElicitResult> {
        let params = serde_json::to_value(request).ok()?;
        let page = params["mode"] == "url";
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.asked.push(params["message"].as_str()?.to_owned());
        let (at, answer) =
            self.story["answers"]
                .as_array()?
                .iter()
                .enumerate()
                .find(|(at, answer)| {
                    let to = answer["to"].as_str().unwrap_or_default();
                    let fits = if page {
                        to == "url"
                    } else {
                        params["requestedSchema"]["properties"].get(to).is_some()
                    };
                    fits && !seen.used.contains(at)
                })?;
        seen.used.push(at);
        Some(match answer["action"].as_str()? {
            "accept" if page => {
                println!("{}", json!({ "open": params["url"] }));
                ElicitResult::new(ElicitationAction::Accept)
            }
            "accept" => {
                ElicitResult::new(ElicitationAction::Accept).with_content(answer["content"].clone())
            }
            "decline" => ElicitResult::new(ElicitationAction::Decline),
            _ => ElicitResult::new(ElicitationAction::Cancel),
        })
    }
}

impl ClientHandler for User {
    fn get_info(&self) -> ClientConfig {
        let can = |mode: &str| {
            self.story["can"]
                .as_array()
                .is_some_and(|modes| modes.iter().any(|it| it == mode))
        };
        let mut info = ClientConfig::default();
        info.capabilities = ClientCapabilities::default();
        if can("form") {
            let mut elicitation =
                ElicitationCapability::new().with_form(FormElicitationCapability::new());
            if can("url") {
                elicitation = elicitation.with_url(UrlElicitationCapability::new());
            }
            info.capabilities.elicitation = Some(elicitation);
        }
        info
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.answer(&request)
            .ok_or_else(|| ErrorData::internal_error("the story has no answer", None))
    }
}

async fn tell(story: &Value, reach: &Value) -> Result<(), Error> {
    let user = User {
        story: story.clone(),
        seen: Arc::default(),
    };
    let seen = Arc::clone(&user.seen);
    let mode = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    };
    let client = match reach["url"].as_str() {
        Some(url) => {
            let config = StreamableHttpClientTransportConfig::with_uri(url)
                .auth_header(reach["user"].as_str().unwrap_or_default());
            user.serve_with_lifecycle(StreamableHttpClientTransport::from_config(config), mode)
                .await?
        }
        None => {
            let words: Vec<&str> = reach["command"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let (program, arguments) = words
                .split_first()
                .ok_or("REACH has neither `url` nor `command`")?;
            let mut command = tokio::process::Command::new(program);
            command.args(arguments);
            user.serve_with_lifecycle(TokioChildProcess::new(command)?, mode)
                .await?
        }
    };
    let tool = story["tool"].as_str().unwrap_or_default().to_owned();
    let called = client.call_tool(CallToolRequestParams::new(tool)).await;
    let mut line = match called {
        Ok(result) => {
            let result = serde_json::to_value(result)?;
            let blocks = result["content"].as_array().into_iter().flatten();
            let text: String = blocks.filter_map(|block| block["text"].as_str()).collect();
            json!({ "isError": result["isError"] == true, "text": text })
        }
        Err(ServiceError::McpError(error)) => {
            json!({ "code": error.code.0, "text": error.message })
        }
        Err(other) => return Err(other.into()),
    };
    client.cancel().await?;
    line["story"] = story["story"].clone();
    line["asked"] = json!(seen.lock().unwrap_or_else(PoisonError::into_inner).asked);
    println!("{line}");
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [stories, reach] = arguments.as_slice() else {
        return Err("needs STORIES and REACH".into());
    };
    let stories: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(stories)?)?;
    let reach: Value = serde_json::from_str(reach)?;
    for story in &stories {
        if story["not"].get("rmcp").is_none() {
            tell(story, &reach).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
