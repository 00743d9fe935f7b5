//! The tool of the guide's page for people who come from rmcp, as it is written with rmcp.

use rmcp::handler::server::tool::{InputResponses, RequestState};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::*;
use rmcp::schemars::{self, JsonSchema};
use rmcp::{ErrorData, ServerHandler, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
pub struct Train {
    /// Number of the train
    train: String,
}

#[derive(Deserialize)]
struct Seat {
    row: u8,
    window: Option<bool>,
}

#[derive(Clone)]
pub struct Trains {
    codec: RequestStateCodec,
}

#[tool_router]
impl Trains {
    pub fn new(codec: RequestStateCodec) -> Self {
        Self { codec }
    }

    #[tool(description = "Reserve a seat on a train.")]
    async fn reserve(
        &self,
        Parameters(Train { train }): Parameters<Train>,
        RequestState(state): RequestState,
        InputResponses(responses): InputResponses,
    ) -> Result<CallToolResponse, ErrorData> {
        // What the state is bound to is for this code to say: the user is missing here.
        let bound = SealOptions::new().associated_data(train.as_bytes());
        let Some(state) = state else {
            let form = json!({
                "type": "object",
                "properties": {
                    "row": { "type": "integer", "minimum": 1, "maximum": 30 },
                    "window": { "type": "boolean", "description": "A seat at the window" },
                },
                "required": ["row"],
            });
            let question = ElicitRequestParams::FormElicitationParams {
                meta: None,
                message: "Where do you want to sit?".into(),
                requested_schema: serde_json::from_value(form)
                    .map_err(|e| ErrorData::internal_error(e.to_string(), None))?,
            };
            let question = InputRequest::Elicitation(ElicitRequest::new(question));
            let questions = InputRequests::from([("seat".to_owned(), question)]);
            let state = self.codec.seal_with(b"asked", &bound);
            return Ok(InputRequiredResult::new(Some(questions), Some(state)).into());
        };
        self.codec
            .open_with(&state, train.as_bytes())
            .map_err(|_| ErrorData::invalid_params("unknown request state", None))?;
        let answer = responses.as_ref().and_then(|all| all.get("seat"));
        let answer = answer.map(ElicitResult::deserialize);
        let Some(Ok(answer)) = answer else {
            return Err(ErrorData::invalid_params("no answer", None));
        };
        if answer.action != ElicitationAction::Accept {
            return Ok(CallToolResult::error(vec![ContentBlock::text("Declined.")]).into());
        }
        let seat = serde_json::from_value::<Seat>(answer.content.unwrap_or_default());
        let seat = match seat {
            Ok(seat) if (1..=30).contains(&seat.row) => seat,
            // To ask again would take a count of attempts in the state.
            _ => return Err(ErrorData::invalid_params("no such seat", None)),
        };
        let place = if seat.window == Some(true) {
            " at the window"
        } else {
            ""
        };
        let text = format!("Train {train}, row {}{place}", seat.row);
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

#[tool_handler]
impl ServerHandler for Trains {}
