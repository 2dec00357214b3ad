// A client made of the API's description, in Go.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"postrider.example/client/api"
)

func main() {
	base, key, project, number := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	ctx := context.Background()
	authorized := func(_ context.Context, request *http.Request) error {
		request.SetBasicAuth(key, "")
		return nil
	}
	client, err := api.NewClientWithResponses(base, api.WithRequestEditorFn(authorized))
	check(err)

	content := "Hello!"
	sent, err := client.SendMessageWithResponse(ctx, project, nil, api.NewMessage{ToNumber: &number, Content: &content})
	check(err)
	if sent.JSON200 == nil {
		log.Fatal(sent.Status())
	}

	count := false
	listed, err := client.ListMessagesWithResponse(ctx, project, &api.ListMessagesParams{ContactId: sent.JSON200.ContactId, Count: &count})
	check(err)
	if listed.JSON200 == nil {
		log.Fatal(listed.Status())
	}
	page, err := listed.JSON200.AsListMessages200JSONResponseBody0()
	check(err)

	ids := []string{}
	for _, message := range page.Data {
		ids = append(ids, message.Id)
	}
	check(json.NewEncoder(os.Stdout).Encode([]any{sent.JSON200.Id, ids}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
